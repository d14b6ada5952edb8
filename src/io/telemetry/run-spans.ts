import type { EventListener, RoboSmithEvent } from '#protocol/event.ts';
import type { BlockId, NodeId, RunId } from '#protocol/id.ts';
import {
  attemptSpan,
  type CutOff,
  errorText,
  type EventOf,
  type OpenAttempt,
  openAttempt,
  type Recovery,
  recoveryEvent,
  visitOf,
} from './attempt-span.ts';
import { attemptedEvent, callSpan, openCall, type OpenCall } from './call-span.ts';
import type { SpanAttributes, SpanEvent, SpanRecord } from './span-record.ts';

/** A run, or the part of it that is executed in this process. */
interface OpenRun {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly start: number;
  readonly attributes: SpanAttributes;
  readonly attempts: Map<string, OpenAttempt>;
  readonly calls: Map<string, OpenCall>;
  readonly events: SpanEvent[];
  lastTime: number;
}

/** A run that was started by a process that was killed before it could export the start. */
export interface LostBeginning {
  readonly run: RunId;
  readonly traceId: string;
  readonly node: NodeId;
  readonly block: BlockId;
  /** The time at which the run began, and the time of its last event; milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

interface RunSpans {
  readonly listener: EventListener;
  /** Emits the run's root span, the ancestor of all others of the run. */
  makeUpFor(lost: LostBeginning): void;
  /** Ends the spans of runs that are halted, or continue in other processes. */
  close(): void;
}

/** Returns the id of the run's root span, which the attempts of the root frame name as their parent. */
const rootSpanId = (traceId: string): string => traceId.slice(0, 16);

const beginningName = ({ node }: Pick<LostBeginning, 'node'>): string => `run ${node}`;

const beginningAttributes = (run: RunId, { node, block }: Pick<LostBeginning, 'node' | 'block'>): SpanAttributes => ({
  'robosmith.run_id': run,
  'robosmith.node': node,
  'robosmith.block': block,
});

/**
 * Opens a run's span. The root span belongs to the process that started the run; a process that resumes it adds a child
 * span.
 */
function openRun(event: RoboSmithEvent, newId: (bytes: number) => string): OpenRun {
  const { trace_id: traceId, run_id, time } = event;
  const root = rootSpanId(traceId);
  const begins = event.type === 'run.started';
  return {
    traceId,
    spanId: begins ? root : newId(8),
    parentSpanId: begins ? null : root,
    name: begins ? beginningName(event) : 'resume',
    start: time,
    attributes: begins ? beginningAttributes(run_id, event) : { 'robosmith.run_id': run_id },
    attempts: new Map(),
    calls: new Map(),
    events: [],
    lastTime: time,
  };
}

const isError = (outcome: EventOf<'run.finished'>['outcome']): boolean =>
  outcome === 'failed' || outcome === 'cancelled';

function endOf({ outcome, response }: EventOf<'run.finished'>): Pick<SpanRecord, 'attributes' | 'error'> {
  const { reason, details, metadata } = response;
  return {
    attributes: {
      'robosmith.outcome': outcome,
      'robosmith.steps': metadata.steps,
      ...(reason === null ? {} : { 'robosmith.reason': reason }),
      ...(isError(outcome) && reason !== null ? { 'error.type': reason } : {}),
    },
    error: isError(outcome) ? errorText(reason ?? outcome, details) : null,
  };
}

function haltEvent(event: EventOf<'block.halted' | 'block.answered'>): SpanEvent {
  const { type, time, block, frame, halt_id } = event;
  const what = type === 'block.halted' ? { 'robosmith.why': event.why } : { 'robosmith.answer': event.answer };
  return {
    name: type,
    time,
    attributes: { 'robosmith.block': block, 'robosmith.frame': frame, 'robosmith.halt_id': halt_id, ...what },
  };
}

/** Emits spans of a run when they end. */
interface SpanEnds {
  call(run: OpenRun, name: string, now: number, finished: EventOf<'ai.call.finished'> | null): void;
  /** Emits the span of a visit's attempt, after the spans of its model calls whose end is unknown. */
  attempt(run: OpenRun, visit: string, now: number, cutOff: CutOff): void;
  /** Emits the run's own span, after all others of the run. */
  run(run: OpenRun, now: number, ended: Pick<SpanRecord, 'attributes' | 'error'>): void;
}

function createSpanEnds(give: (span: SpanRecord) => void): SpanEnds {
  const call: SpanEnds['call'] = (run, name, now, finished) => {
    const found = run.calls.get(name);
    if (found === undefined) return;
    run.calls.delete(name);
    give(callSpan(found, now, finished));
  };
  const attempt: SpanEnds['attempt'] = (run, visit, now, cutOff) => {
    for (const [name, one] of run.calls) if (one.visit === visit) call(run, name, now, null);
    const found = run.attempts.get(visit);
    if (found === undefined) return;
    run.attempts.delete(visit);
    give(attemptSpan(found, now, cutOff));
  };
  return {
    call,
    attempt,
    run: (run, now, ended) => {
      for (const visit of [...run.attempts.keys()]) attempt(run, visit, now, 'stop');
      for (const name of [...run.calls.keys()]) call(run, name, now, null);
      const { traceId, spanId, parentSpanId, name, start, attributes, events } = run;
      const all = { ...attributes, ...ended.attributes };
      const span = { traceId, spanId, parentSpanId, kind: 'internal', name, start, end: now } as const;
      give({ ...span, attributes: all, events, error: ended.error });
    },
  };
}

/** Returns the attempt of an event. If the attempt began in another process, it is created from this event alone. */
function attemptOf(run: OpenRun, event: EventOf<'block.failed' | 'block.finished' | 'block.cut_off'>): OpenAttempt {
  const visit = visitOf(event);
  const attempt = run.attempts.get(visit) ?? openAttempt(event, event, null);
  run.attempts.set(visit, attempt);
  return attempt;
}

function fail(run: OpenRun, event: EventOf<'block.failed'>): void {
  const attempt = attemptOf(run, event);
  attempt.failure = event.failure;
  attempt.end = event.started_at + event.duration_ms;
}

function recover(run: OpenRun, event: Recovery): void {
  run.attempts.get(visitOf(event))?.events.push(recoveryEvent(event));
}

/** Follows the attempts of a run's visits. */
function createAttempts(ends: Pick<SpanEnds, 'attempt'>) {
  return {
    begin: (run: OpenRun, event: EventOf<'block.started'>): void => {
      const visit = visitOf(event);
      // The previous attempt of this visit failed and was recovered.
      ends.attempt(run, visit, event.time, 'stop');
      run.attempts.set(visit, openAttempt(event, event, event.worker));
    },
    finish: (run: OpenRun, event: EventOf<'block.finished'>): void => {
      const attempt = attemptOf(run, event);
      attempt.signal = event.signal;
      attempt.end ??= event.started_at + event.duration_ms;
      ends.attempt(run, visitOf(event), event.time, 'stop');
    },
    cutOff: (run: OpenRun, event: EventOf<'block.cut_off'>): void => {
      const visit = visitOf(event);
      // A process that stopped in an orderly way has already emitted the span, even if the attempt's beginning was
      // replayed here.
      if (event.after === 'stop') return void run.attempts.delete(visit);
      attemptOf(run, event);
      ends.attempt(run, visit, event.time, event.after);
    },
    halted: (run: OpenRun, event: EventOf<'block.halted'>): void => {
      // A halt within an attempt ends the attempt. After the answer, a new attempt may begin.
      ends.attempt(run, visitOf(event), event.time, 'halted');
      run.events.push(haltEvent(event));
    },
  };
}

/** Converts events to spans: one per run, below it one per attempt, and below that one per model call. */
export function createRunSpans(give: (span: SpanRecord) => void, newId: (bytes: number) => string): RunSpans {
  const runs = new Map<string, OpenRun>();
  const ends = createSpanEnds(give);
  const attempts = createAttempts(ends);

  const beginCall = (run: OpenRun, event: EventOf<'ai.call.started'>): void => {
    const parentSpanId = run.attempts.get(visitOf(event))?.scope.span_id ?? run.spanId;
    run.calls.set(event.call, openCall(event, { spanId: newId(8), parentSpanId }));
  };

  const hear = (run: OpenRun, event: RoboSmithEvent): void => {
    switch (event.type) {
      case 'block.started':
        return attempts.begin(run, event);
      case 'block.failed':
        return fail(run, event);
      case 'block.finished':
        return attempts.finish(run, event);
      case 'block.cut_off':
        return attempts.cutOff(run, event);
      case 'recovery.retry':
      case 'recovery.repair':
      case 'recovery.exhausted':
        return recover(run, event);
      case 'ai.call.started':
        return beginCall(run, event);
      case 'ai.call.attempted':
        return void run.calls.get(event.call)?.events.push(attemptedEvent(event));
      case 'ai.call.finished':
        return ends.call(run, event.call, event.time, event);
      case 'transition.taken':
        // A null signal means that the visit was cancelled, so no further events of its attempt will follow.
        if (event.entry.signal === null) ends.attempt(run, visitOf(event.entry), event.time, 'cancelled');
        return;
      case 'block.halted':
        return attempts.halted(run, event);
      case 'block.answered':
        run.events.push(haltEvent(event));
        return;
      case 'run.finished':
        runs.delete(event.run_id);
        return ends.run(run, event.time, endOf(event));
      default:
    }
  };

  return {
    listener: (event) => {
      const run = runs.get(event.run_id) ?? openRun(event, newId);
      runs.set(event.run_id, run);
      run.lastTime = event.time;
      hear(run, event);
    },
    makeUpFor: (lost) => {
      const { run, traceId, from: start, to: end } = lost;
      const span = { traceId, spanId: rootSpanId(traceId), parentSpanId: null, kind: 'internal' } as const;
      const attributes = { ...beginningAttributes(run, lost), 'robosmith.outcome': 'crashed' };
      give({ ...span, name: beginningName(lost), start, end, attributes, events: [], error: null });
    },
    close: () => {
      for (const run of runs.values())
        ends.run(run, run.lastTime, { attributes: { 'robosmith.outcome': 'open' }, error: null });
      runs.clear();
    },
  };
}
