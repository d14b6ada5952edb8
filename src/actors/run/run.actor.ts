import { messageOf } from '#protocol/message-of.ts';
import { type AnyActorRef, createActor } from 'xstate';
import type { Artifact, Whereabouts } from '#machines/run/assemble-memory.ts';
import { BUILT_IN_CONDITIONS } from '#machines/run/conditions.ts';
import { openRootFrame } from '#machines/run/frame.ts';
import type { Frame, Visit } from '#machines/run/state.ts';
import { type GraphIndex, indexGraph } from '#machines/run/graph-index.ts';
import type { FrameOutput } from '#machines/run/implementations.ts';
import { link } from '#machines/run/link.ts';
import { holdPayload, type PayloadHold } from '#machines/run/payload-log.ts';
import { writeCancelled } from '#machines/run/record-path.ts';
import { createRunState } from '#machines/run/run-state.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { EventListener, RoboSmithEvent, RunFact } from '#protocol/event.ts';
import type { WorkerDefinition } from '#protocol/graph.ts';
import type { BlockId, RunId, SegmentId } from '#protocol/id.ts';
import type { Failure, Response } from '#protocol/response.ts';
import type { FindWorker, Run, RunContext, RunOptions, RunPorts } from '#protocol/run.ts';
import { createHalts, type Halts } from './halts.ts';
import { executeVisit } from './execute-visit.ts';
import { makeResponse } from './make-response.ts';
import { untilGone } from './until-gone.ts';

/** Partners of a run, handed in by the engine. */
export interface RunParts {
  readonly id: RunId;
  readonly traceId: string;
  readonly ports: RunPorts;
  readonly context: RunContext;
  readonly findWorker: FindWorker;
  readonly definitionOf: (name: string) => WorkerDefinition | null;
  readonly readArtifact: (patterns: readonly string[]) => Promise<Artifact>;
  readonly whereabouts: Whereabouts;
}

/** Events in sequence to whoever listens; a listener that throws is a listener's fault and ends nothing. */
function createBus({ id, traceId, ports }: RunParts) {
  const listeners = new Set<EventListener>();
  let seq = 0;
  let closed = false;
  return {
    subscribe: (listener: EventListener): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** What comes after the end, a dying process's last words, is nobody's event. */
    close: (): void => {
      closed = true;
    },
    record: (fact: RunFact): void => {
      if (closed) return;
      seq += 1;
      if (listeners.size === 0) return;
      // The fact is ours from here on: making it the event costs half of copying it, five times a step.
      const event: RoboSmithEvent = Object.assign(fact, {
        seq,
        run_id: id,
        trace_id: traceId,
        time: ports.clock.now(),
      });
      for (const listener of listeners) {
        try {
          listener(event);
        } catch {
          listeners.delete(listener);
        }
      }
    },
  };
}

const CANCELLED: Failure = { reason: 'cancelled', details: {}, errorType: null };
const INTERRUPTED: Failure = { reason: 'interrupted', details: {}, errorType: null };

const outcomeOf = (failure: Failure | null) =>
  failure === null
    ? 'completed'
    : failure.reason === 'cancelled' || failure.reason === 'interrupted'
      ? failure.reason
      : 'failed';

function landingOf(index: GraphIndex, { start }: RunOptions): BlockId {
  return 'block' in start ? start.block : index.node(start.node).entryBlock;
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

/** Span ids without chance: half from the trace, half counted. An attempt's parent is the call that opened its frame. */
function createSpans(traceId: string) {
  const spans = new WeakMap<Visit, string>();
  const root = traceId.slice(0, 16);
  let count = 0;
  return (frame: Frame, visit: Visit): { readonly span_id: string; readonly parent_span_id: string } => {
    count += 1;
    const span_id = root.slice(0, 8) + count.toString(16).padStart(8, '0');
    spans.set(visit, span_id);
    const caller = frame.caller?.visit ?? null;
    return { span_id, parent_span_id: (caller === null ? undefined : spans.get(caller)) ?? root };
  };
}

/** Who waits for the run to settle, and what it settled as. */
function createSettling() {
  let response: Response | null = null;
  let waiters: ((response: Response) => void)[] = [];
  return {
    isSettled: (): boolean => response !== null,
    reopen: (): void => {
      response = null;
    },
    settle: (as: Response): void => {
      response = as;
      for (const resolve of waiters.splice(0)) resolve(as);
    },
    settled: (): Promise<Response> =>
      response === null ? new Promise((resolve) => (waiters = [...waiters, resolve])) : Promise.resolve(response),
  };
}

/** A run as its owner holds it: the frame machine of its root, its halts, its events, its Response (spec/engine.md "A run"). */
export function startRun(workflow: CompiledWorkflow, options: RunOptions, parts: RunParts): Run {
  const { ports } = parts;
  const bus = createBus(parts);
  if (options.onEvent !== undefined) bus.subscribe(options.onEvent);
  const settling = createSettling();
  const startedAt = ports.clock.now();
  const index = indexGraph(workflow.graph);
  let ended = false;
  /** Set while the actors are being stopped before their own end. */
  let stopping: Failure | null = null;
  let actor: AnyActorRef | null = null;

  const state = createRunState({
    id: parts.id,
    index,
    conditions:
      options.conditions === undefined ? BUILT_IN_CONDITIONS : new Map([...BUILT_IN_CONDITIONS, ...options.conditions]),
    now: () => ports.clock.now(),
    record: bus.record,
    onStill: () => void Promise.resolve().then(settleIfHalted),
  });
  const landing = landingOf(index, options);
  bus.record({ type: 'run.started', node: index.block(landing).node, block: landing, source: options.source ?? null });
  const root = openRootFrame(state, landing, firstPayload(parts.id, options.input, startedAt));
  const respond = (failure: Failure | null): Response =>
    makeResponse({
      root,
      traceId: parts.traceId,
      source: options.source ?? null,
      startedAt,
      failure,
      halts: failure === null ? halts.waiting() : [],
    });

  const finish = (failure: Failure | null): void => {
    const response = respond(failure);
    const { success, reason, metadata } = response;
    const details = failure?.details ?? {};
    bus.record({ type: 'run.finished', outcome: outcomeOf(failure), response: { success, reason, metadata, details } });
    bus.close();
    settling.settle(response);
  };
  const end = (failure: Failure | null): void => {
    if (ended) return;
    ended = true;
    writeCancelled(state);
    if (state.leaving.length === 0) finish(failure);
    else void untilGone(state.leaving, ports.clock, '/').then(() => finish(failure));
  };
  /** The actors stop first, at once or when their present event is through; then the run ends. */
  const stop = (failure: Failure): void => {
    if (ended || stopping !== null) return;
    stopping = failure;
    actor?.stop();
  };
  const halts: Halts = createHalts({
    clock: ports.clock,
    context: parts.context,
    scripted: options.script?.halts ?? [],
    answersFor: options.answersFor ?? (() => []),
    abort: () => stop(CANCELLED),
    onResume: () => {
      if (!settling.isSettled() || ended) return;
      settling.reopen();
      bus.record({ type: 'run.resumed' });
    },
  });
  function settleIfHalted(): void {
    const waiting = halts.waiting();
    if (ended || state.moving > 0 || waiting.length === 0 || settling.isSettled()) return;
    bus.record({ type: 'run.halted', halts: waiting.map(({ halt_id }) => halt_id) });
    settling.settle(respond(null));
  }

  const execute = executeVisit({
    ...parts,
    stepMode: options.stepMode ?? false,
    clock: ports.clock,
    random: ports.random,
    askBefore: halts.ask,
    spanOf: createSpans(parts.traceId),
    onMemory: options.onMemory ?? null,
  });
  const machines = link(workflow, {
    execute,
    ask: (frame, visit, signal) => halts.ask(frame, visit, 'flagged', signal),
  });
  const started: AnyActorRef = createActor(machines.frame, { input: { frame: root } });
  actor = started;
  started.subscribe({
    complete: () => end(stopping ?? (started.getSnapshot() as { output: FrameOutput }).output.frame.failure),
    error: (thrown: unknown) =>
      end({
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
    cancel: () => stop(CANCELLED),
    interrupt: () => stop(INTERRUPTED),
    subscribe: bus.subscribe,
  };
}
