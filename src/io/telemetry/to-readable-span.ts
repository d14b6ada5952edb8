import { type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { SpanRecord } from './span-record.ts';

/** The instrumentation scope. It must be one object, because the exporter groups spans by it. */
const SCOPE = { name: 'robo-smith' };

const hrTime = (ms: number): HrTime => {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
};

/**
 * Converts a span to the format that the exporter takes. The library's tracer is not used, because it would choose its
 * own ids.
 */
export function toReadableSpan(span: SpanRecord, resource: Resource): ReadableSpan {
  const { traceId, parentSpanId, error } = span;
  const context = (spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED });
  const own = context(span.spanId);
  return {
    name: span.name,
    kind: span.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => own,
    ...(parentSpanId === null ? {} : { parentSpanContext: context(parentSpanId) }),
    startTime: hrTime(span.start),
    endTime: hrTime(span.end),
    duration: hrTime(span.end - span.start),
    ended: true,
    status: error === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    attributes: span.attributes,
    events: span.events.map(({ name, time, attributes }) => ({ name, time: hrTime(time), attributes })),
    links: [],
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}
