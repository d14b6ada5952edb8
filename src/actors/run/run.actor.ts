import { messageOf } from '#protocol/message-of.ts';
import { type AnyActorRef, createActor } from 'xstate';
import type { Artifact, Whereabouts } from '#machines/run/assemble-memory.ts';
import { BUILT_IN_CONDITIONS } from '#machines/run/conditions.ts';
import { countSpending } from '#machines/run/count-spending.ts';
import { openRootFrame } from '#machines/run/frame.ts';
import type { Frame, Visit } from '#machines/run/state.ts';
import { type GraphIndex, indexGraph } from '#machines/run/graph-index.ts';
import type { FrameOutput } from '#machines/run/implementations.ts';
import { link } from '#machines/run/link.ts';
import { holdPayload, type PayloadHold } from '#machines/run/payload-log.ts';
import { createRunState } from '#machines/run/run-state.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { RunFact } from '#protocol/event.ts';
import type { Graph, WorkerDefinition } from '#protocol/graph.ts';
import { inputText, readInputs } from '#protocol/inputs.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { BlockId, RunId, SegmentId } from '#protocol/id.ts';
import type { Failure, Response } from '#protocol/response.ts';
import type { FindWorker, Run, RunContext, RunOptions, RunPorts } from '#protocol/run.ts';
import { CANCELLED, createEnding, INTERRUPTED, PAUSED } from './ending.ts';
import { createEventBus } from './event-bus.ts';
import { createHalts, flagOf, type Halts } from './halts.ts';
import type { ReadSlice } from './execution.ts';
import { executeVisit } from './execute-visit.ts';
import { makeResponse } from './make-response.ts';
import { createSettling } from './settling.ts';

/** What the engine provides for a run. */
export interface RunParts {
  readonly id: RunId;
  readonly traceId: string;
  readonly ports: RunPorts;
  readonly context: RunContext;
  readonly findWorker: FindWorker;
  readonly definitionOf: (name: string) => WorkerDefinition | null;
  readonly readArtifact: (patterns: readonly string[]) => Promise<Artifact>;
  readonly readSlice: ReadSlice | null;
  readonly whereabouts: Whereabouts;
  /** The start and the number of the last emitted event; only for a resumed run. */
  readonly begun?: { readonly at: number; readonly lastEvent: number };
}

function landingOf(index: GraphIndex, { start }: RunOptions): BlockId {
  return 'block' in start ? start.block : index.node(start.node).entryBlock;
}

/** Returns the declared inputs of a run; none if the manifest declares none, or if they no longer fit a new manifest. */
function inputsOf({ inputs }: Graph, { input }: RunOptions): JsonObject | null {
  const read = inputs === undefined ? null : readInputs(inputs, input ?? null);
  return read?.ok === true ? Object.freeze(read.values) : null;
}

function firstPayload(id: RunId, input: string | undefined, now: number): PayloadHold {
  if (input === undefined) return holdPayload([]);
  const segment = {
    id: `${id}/input.1` as SegmentId,
    type: 'USER_INPUT',
    content: input,
    source: null,
    meta: Object.freeze({}),
    timestamp: now,
  };
  return holdPayload([Object.freeze(segment)]);
}

/** Counters have nine hexadecimal digits, of which the first is dropped. */
const COUNTED = 0x1_0000_0000;

/**
 * Makes span ids without randomness: half from the trace, half counted. An attempt's parent is the call that opened
 * its frame.
 */
function createSpans(traceId: string) {
  const root = traceId.slice(0, 16);
  const half = root.slice(0, 8);
  let count = 0;
  return (frame: Frame, visit: Visit): { readonly span_id: string; readonly parent_span_id: string } => {
    count += 1;
    visit.span = half + (COUNTED + count).toString(16).slice(1);
    return { span_id: visit.span, parent_span_id: frame.caller?.visit?.span ?? root };
  };
}

/** Emits `run.resumed` once all earlier events are through. */
function tellResumed({ live }: RunContext, record: (fact: RunFact) => void): void {
  const resumed = (): void => record({ type: 'run.resumed' });
  const replayed = live();
  if (replayed === null) resumed();
  else replayed.then(resumed, () => undefined);
}

/** Starts a run and returns it to its owner: the frame machine of its root, its halts, events and Response. */
export function startRun(workflow: CompiledWorkflow, options: RunOptions, parts: RunParts): Run {
  const { ports } = parts;
  const bus = createEventBus(parts);
  if (options.onEvent !== undefined) bus.subscribe(options.onEvent);
  const settling = createSettling();
  const startedAt = parts.begun?.at ?? ports.clock.now();
  const index = indexGraph(workflow.graph);
  /** Set while the actors are being stopped early. */
  let stopping: Failure | null = null;
  let actor: AnyActorRef | null = null;

  const execute = executeVisit({
    ...parts,
    stepMode: options.stepMode ?? false,
    clock: ports.clock,
    random: ports.random,
    askInVisit: (frame, visit, halt, signal) => halts.ask(frame, visit, halt, signal),
    spanOf: createSpans(parts.traceId),
    onMemory: options.onMemory ?? null,
  });
  const state = createRunState({
    id: parts.id,
    index,
    conditions:
      options.conditions === undefined ? BUILT_IN_CONDITIONS : new Map([...BUILT_IN_CONDITIONS, ...options.conditions]),
    effects: {
      execute,
      ask: (frame, visit, signal) => halts.ask(frame, visit, flagOf(visit), signal),
    },
    now: () => ports.clock.now(),
    keepPath: parts.context.keepPath,
    record: bus.record,
    onStill: () => void Promise.resolve().then(settleIfHalted),
  });
  parts.context.watchMoving?.(() => state.moving);
  for (const spent of parts.context.spentBefore) countSpending(state, spent);
  const landing = landingOf(index, options);
  if (parts.begun === undefined)
    bus.record({
      type: 'run.started',
      node: index.block(landing).node,
      block: landing,
      source: options.source ?? null,
    });
  else tellResumed(parts.context, bus.record);
  const inputs = inputsOf(workflow.graph, options);
  const input = inputs === null ? options.input : inputText(inputs);
  const root = openRootFrame(state, landing, firstPayload(parts.id, input, startedAt), inputs ?? undefined);
  const respond = (failure: Failure | null): Response =>
    makeResponse({
      root,
      traceId: parts.traceId,
      source: options.source ?? null,
      startedAt,
      failure,
      halts: failure === null ? halts.waiting() : [],
    });

  const ending = createEnding({ root, state, bus, settling, respond, context: parts.context, clock: ports.clock });
  /** Stops the actors, at once or after their current event; then the run ends. */
  const stop = (failure: Failure): void => {
    if (ending.isOver() || stopping !== null) return;
    stopping = failure;
    // The outcome is open again, also if the run had settled because it waited.
    settling.reopen();
    actor?.stop();
  };
  const halts: Halts = createHalts({
    clock: ports.clock,
    context: parts.context,
    scripted: options.script?.halts ?? [],
    answersFor: options.answersFor ?? (() => []),
    abort: () => stop(CANCELLED),
    onResume: () => {
      if (!settling.isSettled() || ending.isOver()) return;
      settling.reopen();
      bus.record({ type: 'run.resumed' });
    },
  });
  function settleIfHalted(): void {
    if (ending.isOver() || state.moving > 0) return;
    if (state.pausing) return stop(PAUSED);
    const waiting = halts.waiting();
    if (waiting.length === 0 || settling.isSettled()) return;
    bus.record({ type: 'run.halted', halts: waiting.map(({ halt_id }) => halt_id) });
    ending.settle(respond(null));
  }

  const machines = link(workflow);
  const started: AnyActorRef = createActor(machines.frame, { input: { frame: root } });
  actor = started;
  ports.observe?.(parts.id, started);
  started.subscribe({
    complete: () => {
      // A released run has no output.
      if (!ending.isOver())
        ending.end(stopping ?? (started.getSnapshot() as { output: FrameOutput }).output.frame.failure);
    },
    error: (thrown: unknown) =>
      ending.end({
        reason: 'corrupt_state',
        details: { message: messageOf(thrown) },
        errorType: 'Error',
      }),
  });
  started.start();
  return {
    id: parts.id,
    settled: settling.settled,
    halts: halts.waiting,
    answer: halts.answer,
    cancel: () => {
      // Cancellations are recorded only after the journal was replayed.
      const replayed = parts.context.live();
      const cancel = (): void => stop(CANCELLED);
      if (replayed === null) cancel();
      else replayed.then(cancel, () => undefined);
    },
    interrupt: () => stop(INTERRUPTED),
    release: () => {
      if (ending.isOver() || state.moving > 0) return;
      ending.letGo();
      actor?.stop();
    },
    pause: () => {
      state.pausing = true;
      settleIfHalted();
    },
    subscribe: bus.subscribe,
  };
}
