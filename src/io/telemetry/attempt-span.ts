import type { AttemptScope, RoboSmithEvent, RunFact } from '#protocol/event.ts';
import type { Signal } from '#protocol/id.ts';
import type { Failure, PathEntry } from '#protocol/response.ts';
import type { SpanAttributes, SpanEvent, SpanRecord } from './span-record.ts';

/** An attempt whose final outcome is not known yet, since a failed attempt may still be recovered. */
export interface OpenAttempt {
  readonly runId: string;
  readonly traceId: string;
  readonly scope: AttemptScope;
  readonly worker: string | null;
  readonly events: SpanEvent[];
  failure: Failure | null;
  signal: Signal | null;
  end: number | null;
}

export type EventOf<Type extends RunFact['type']> = Extract<RoboSmithEvent, { readonly type: Type }>;

export type Recovery = EventOf<'recovery.retry' | 'recovery.repair' | 'recovery.exhausted'>;

/** The reason why an attempt ended without an outcome of its own. */
export type CutOff = 'cancelled' | 'halted' | 'crash' | 'stop';

/** The maximum length of an error text: enough to understand it, and short enough for collectors. */
const LONGEST_TEXT = 1_000;

/** Returns a key for a visit within its run; a visit has at most one attempt at a time. */
export const visitOf = ({ frame, block, visit }: Pick<PathEntry, 'frame' | 'block' | 'visit'>): string =>
  `${frame} ${block}#${visit}`;

export const openAttempt = (
  { run_id, trace_id }: RoboSmithEvent,
  scope: AttemptScope,
  worker: string | null,
): OpenAttempt => ({
  runId: run_id,
  traceId: trace_id,
  scope,
  worker,
  events: [],
  failure: null,
  signal: null,
  end: null,
});

export function errorText(reason: string, details: unknown): string {
  const message = typeof details === 'object' && details !== null && 'message' in details ? details.message : null;
  return typeof message === 'string' ? `${reason}: ${message}`.slice(0, LONGEST_TEXT) : reason;
}

export function recoveryEvent(event: Recovery): SpanEvent {
  const { type, time, reason } = event;
  switch (type) {
    case 'recovery.retry':
      return { name: type, time, attributes: { 'robosmith.reason': reason, 'robosmith.delay_ms': event.delay_ms } };
    case 'recovery.repair':
      return {
        name: type,
        time,
        attributes: {
          'robosmith.reason': reason,
          'robosmith.worker': event.worker,
          'robosmith.made': event.made,
        },
      };
    case 'recovery.exhausted':
      return { name: type, time, attributes: { 'robosmith.reason': reason } };
  }
}

function attributesOf({ runId, scope, worker, signal, failure }: OpenAttempt, cutOff: CutOff | null): SpanAttributes {
  return {
    'robosmith.run_id': runId,
    'robosmith.node': scope.node,
    'robosmith.block': scope.block,
    'robosmith.frame': scope.frame,
    'robosmith.visit': scope.visit,
    'robosmith.attempt': scope.attempt,
    'robosmith.side_effect_class': scope.side_effect_class,
    ...(worker === null ? {} : { 'robosmith.worker': worker }),
    ...(signal === null ? {} : { 'robosmith.signal': signal }),
    ...(failure === null ? {} : { 'error.type': failure.reason }),
    ...(cutOff === null ? {} : { 'robosmith.cut_off': cutOff }),
  };
}

/** Converts an attempt to a span. If the attempt was cut off, `now` is its end time. */
export function attemptSpan(attempt: OpenAttempt, now: number, cutOff: CutOff | null): SpanRecord {
  const { scope, traceId, failure, end, events } = attempt;
  return {
    traceId,
    spanId: scope.span_id,
    parentSpanId: scope.parent_span_id,
    kind: 'internal',
    name: scope.block,
    start: scope.started_at,
    end: end ?? now,
    attributes: attributesOf(attempt, end === null ? cutOff : null),
    events,
    error: failure === null ? null : errorText(failure.reason, failure.details),
  };
}
