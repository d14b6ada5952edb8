import type { Export } from './collector.ts';

interface AnyValue {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly boolValue?: boolean;
}

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

interface WrittenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events: readonly {
    readonly name: string;
    readonly timeUnixNano: string;
    readonly attributes: readonly KeyValue[];
  }[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface Request {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly WrittenSpan[];
    }[];
  }[];
}

const plain = (attributes: readonly KeyValue[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const requestOf = ({ body }: Export): Request => JSON.parse(body.toString()) as Request;

export const resourceOf = (sent: Export): Readonly<Record<string, unknown>> =>
  plain(requestOf(sent).resourceSpans[0]?.resource.attributes ?? []);

/** Converts a time in nanoseconds to milliseconds after `epoch`. */
const after = (epoch: number, nanos: string): number => Number(BigInt(nanos) - BigInt(epoch) * 1_000_000n) / 1e6;

/** Returns the spans of a request, with plain attributes and with times in milliseconds after `epoch`. */
export const spansIn = (sent: Export, epoch: number) =>
  requestOf(sent)
    .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map(({ traceId, spanId, parentSpanId, name, ...span }) => ({
      traceId,
      spanId,
      parentSpanId: parentSpanId ?? null,
      name,
      start: after(epoch, span.startTimeUnixNano),
      end: after(epoch, span.endTimeUnixNano),
      status: span.status,
      attributes: plain(span.attributes),
      events: span.events.map((event) => [event.name, after(epoch, event.timeUnixNano), plain(event.attributes)]),
    }));
