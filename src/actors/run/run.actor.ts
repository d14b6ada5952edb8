import { messageOf } from '#protocol/message-of.ts';
import { type AnyActorRef, createActor } from 'xstate';
import type { Artifact, RunLocation } from '#machines/run/assemble-memory.ts';
import { BUILT_IN_CONDITIONS } from '#machines/run/conditions.ts';
import { countSpending } from '#logic/calls/count-spending.ts';
import { openRootFrame } from '#machines/run/frame.ts';
import type { Frame, RunState, Visit } from '#machines/run/state.ts';
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
import { CANCELLED, createEnding, createSettling, INTERRUPTED, PAUSED } from './ending.ts';
import { createEventBus } from './event-bus.ts';
import { createHalts, flagOf, type Halts } from './halts.ts';
import type { ReadSlice } from './execution.ts';
import { executeVisit } from './execute-visit.ts';
import { makeResponse } from './make-response.ts';

/** What the engine provides for a run. */
interface RunParts {
  readonly id: RunId;
  readonly traceId: string;
  readonly ports: RunPorts;
  readonly context: RunContext;
  readonly findWorker: FindWorker;
  readonly definitionOf: (name: string) => WorkerDefinition | null;
  readonly readArtifact: (patterns: readonly string[]) => Promise<Artifact>;
  readonly readSlice: ReadSlice | null;
  readonly whereabouts: RunLocation;
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

/**
 * Added to a counter to get nine hexadecimal digits. The first digit is dropped, so that eight digits with leading
 * zeros remain.
 */
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

/** Emits `run.resumed` once all earlier events were emitted. */
function recordResumed({ live }: RunContext, record: (fact: RunFact) => void): void {
  const resumed = (): void => record({ type: 'run.resumed' });
  const replayed = live();
  if (replayed === null) resumed();
  else replayed.then(resumed, () => undefined);
}

/** The actors of a run, which are stopped early when the run is. */
interface RunActors {
  start(): void;
  /** Stops the actors, at once or after their current event; then the run ends with this failure. */
  stop(failure: Failure): void;
  /** Stops the actors of a run that is resumed another time. */
  letGo(): void;
}

interface RunActorsParts {
  readonly workflow: CompiledWorkflow;
  readonly root: Frame;
  readonly ending: ReturnType<typeof createEnding>;
  readonly settling: ReturnType<typeof createSettling>;
  readonly observe: (actor: AnyActorRef) => void;
}

function createActors({ workflow, root, ending, settling, observe }: RunActorsParts): RunActors {
  /** Set while the actors are being stopped early. */
  let stopping: Failure | null = null;
  let actor: AnyActorRef | null = null;
  return {
    start: () => {
      const started: AnyActorRef = createActor(link(workflow).frame, { input: { frame: root } });
      actor = started;
      observe(started);
      started.subscribe({
        complete: () => {
          // A run that was released to be resumed later has no output.
          if (!ending.isOver())
            ending.end(stopping ?? (started.getSnapshot() as { output: FrameOutput }).output.frame.failure);
        },
        error: (thrown: unknown) =>
          ending.end({ reason: 'corrupt_state', details: { message: messageOf(thrown) }, errorType: 'Error' }),
      });
      started.start();
    },
    stop: (failure) => {
      if (ending.isOver() || stopping !== null) return;
      stopping = failure;
      // The run is no longer settled, even if it had settled because it waited.
      settling.reopen();
      actor?.stop();
    },
    letGo: () => {
      ending.letGo();
      actor?.stop();
    },
  };
}

interface OpenStateParts {
  readonly index: GraphIndex;
  readonly ask: Halts['ask'];
  readonly record: (fact: RunFact) => void;
  /** Called when nothing in the run moves by itself. */
  readonly onStill: () => void;
}

/** Creates the state of a run. A visit of this run executes its block's worker. */
function openState(options: RunOptions, parts: RunParts, { index, ask, record, onStill }: OpenStateParts): RunState {
  const { ports, context } = parts;
  const state = createRunState({
    id: parts.id,
    index,
    conditions:
      options.conditions === undefined ? BUILT_IN_CONDITIONS : new Map([...BUILT_IN_CONDITIONS, ...options.conditions]),
    effects: {
      execute: executeVisit({
        ...parts,
        stepMode: options.stepMode ?? false,
        clock: ports.clock,
        random: ports.random,
        askInVisit: ask,
        spanOf: createSpans(parts.traceId),
        onMemory: options.onMemory ?? null,
      }),
      ask: (frame, visit, signal) => ask(frame, visit, flagOf(visit), signal),
    },
    now: () => ports.clock.now(),
    keepPath: context.keepPath,
    record,
    onStill,
  });
  context.watchMoving?.(() => state.moving);
  for (const spent of context.spentBefore) countSpending(state, spent);
  return state;
}

/** Starts a run and returns it to its owner: the frame machine of its root, its halts, events and Response. */
export function startRun(workflow: CompiledWorkflow, options: RunOptions, parts: RunParts): Run {
  const { ports, context, traceId } = parts;
  const { clock } = ports;
  const source = options.source ?? null;
  const bus = createEventBus(parts);
  if (options.onEvent !== undefined) bus.subscribe(options.onEvent);
  const settling = createSettling();
  const startedAt = parts.begun?.at ?? clock.now();
  const index = indexGraph(workflow.graph);
  const state = openState(options, parts, {
    index,
    ask: (frame, visit, halt, signal) => halts.ask(frame, visit, halt, signal),
    record: bus.record,
    onStill: () => void Promise.resolve().then(settleIfHalted),
  });
  const landing = landingOf(index, options);
  if (parts.begun !== undefined) recordResumed(context, bus.record);
  else bus.record({ type: 'run.started', node: index.block(landing).node, block: landing, source });
  const inputs = inputsOf(workflow.graph, options);
  const input = inputs === null ? options.input : inputText(inputs);
  const root = openRootFrame(state, landing, firstPayload(parts.id, input, startedAt), inputs ?? undefined);
  const respond = (failure: Failure | null): Response => {
    const waiting = failure === null ? halts.waiting() : [];
    return makeResponse({ root, traceId, source, startedAt, failure, halts: waiting });
  };
  const ending = createEnding({ root, state, bus, settling, respond, context, clock });
  const observe = (actor: AnyActorRef): void => ports.observe?.(parts.id, actor);
  const actors = createActors({ workflow, root, ending, settling, observe });
  const halts: Halts = createHalts({
    clock,
    context,
    scripted: options.script?.halts ?? [],
    answersFor: options.answersFor ?? (() => []),
    abort: () => actors.stop(CANCELLED),
    onResume: () => {
      if (!settling.isSettled() || ending.isOver()) return;
      settling.reopen();
      bus.record({ type: 'run.resumed' });
    },
  });
  const settleIfHalted = (): void => {
    if (ending.isOver() || state.moving > 0) return;
    if (state.pausing) return actors.stop(PAUSED);
    const waiting = halts.waiting();
    if (waiting.length === 0 || settling.isSettled()) return;
    bus.record({ type: 'run.halted', halts: waiting.map(({ halt_id }) => halt_id) });
    ending.settle(respond(null));
  };
  actors.start();
  return {
    id: parts.id,
    settled: settling.settled,
    halts: halts.waiting,
    answer: halts.answer,
    cancel: () => {
      // Cancellations are recorded only after the journal was replayed.
      const replayed = context.live();
      const cancel = (): void => actors.stop(CANCELLED);
      if (replayed === null) cancel();
      else replayed.then(cancel, () => undefined);
    },
    interrupt: () => actors.stop(INTERRUPTED),
    release: () => {
      if (ending.isOver() || state.moving > 0) return;
      actors.letGo();
    },
    pause: () => {
      state.pausing = true;
      settleIfHalted();
    },
    subscribe: bus.subscribe,
  };
}
