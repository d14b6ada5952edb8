import type { ProviderName } from '#protocol/provider.ts';
import { type EventOf, visitOf } from './attempt-span.ts';
import type { SpanAttributes, SpanEvent, SpanRecord } from './span-record.ts';

/** A model call whose end is not known yet. */
export interface OpenCall {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly visit: string;
  readonly model: string;
  readonly start: number;
  readonly attributes: SpanAttributes;
  readonly events: SpanEvent[];
}

/** Provider names in the GenAI conventions of OpenTelemetry, where they differ from ours. */
const PROVIDERS: Readonly<Partial<Record<ProviderName, string>>> = { google: 'gcp.gemini' };

interface Ids {
  readonly spanId: string;
  /** The id of the span of the attempt that makes the call. */
  readonly parentSpanId: string;
}

export const openCall = (event: EventOf<'ai.call.started'>, { spanId, parentSpanId }: Ids): OpenCall => ({
  traceId: event.trace_id,
  spanId,
  parentSpanId,
  visit: visitOf(event),
  model: event.model,
  start: event.time,
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': PROVIDERS[event.provider] ?? event.provider,
    'gen_ai.request.model': event.model,
    'robosmith.run_id': event.run_id,
    'robosmith.block': event.block,
    'robosmith.call': event.call,
    'robosmith.pool': event.pool,
  },
  events: [],
});

/** Converts one HTTP attempt of a model call to a span event, with the alias of its key. */
export const attemptedEvent = ({ type, time, ...event }: EventOf<'ai.call.attempted'>): SpanEvent => ({
  name: type,
  time,
  attributes: {
    'robosmith.key': event.key,
    'robosmith.outcome': event.outcome,
    'robosmith.duration_ms': event.duration_ms,
    ...(event.status === null ? {} : { 'http.response.status_code': event.status }),
  },
});

const endAttributes = (event: EventOf<'ai.call.finished'>): SpanAttributes => ({
  'robosmith.attempts': event.attempts,
  'robosmith.tokens': event.tokens,
  'robosmith.queued_ms': event.queued_ms,
  ...(event.cost_micro_usd === null ? {} : { 'robosmith.cost_micro_usd': event.cost_micro_usd }),
});

/** Converts a model call to a span. `finished` is null if its attempt was cut off; the call then counts as aborted. */
export function callSpan(call: OpenCall, now: number, finished: EventOf<'ai.call.finished'> | null): SpanRecord {
  const { traceId, spanId, parentSpanId, model, start, events } = call;
  const outcome = finished?.outcome ?? 'aborted';
  const isError = outcome !== 'answered' && outcome !== 'aborted';
  return {
    traceId,
    spanId,
    parentSpanId,
    kind: 'client',
    name: `chat ${model}`,
    start,
    end: now,
    events,
    attributes: {
      ...call.attributes,
      'robosmith.outcome': outcome,
      ...(finished === null ? {} : endAttributes(finished)),
      ...(isError ? { 'error.type': outcome } : {}),
    },
    error: isError ? outcome : null,
  };
}
