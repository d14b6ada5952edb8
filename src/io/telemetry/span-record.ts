export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanEvent {
  readonly name: string;
  readonly time: number;
  readonly attributes: SpanAttributes;
}

/** A span that has ended, before it is made one of OpenTelemetry's. Times are milliseconds since the epoch. */
export interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** `client`: it waits for another system. */
  readonly kind: 'internal' | 'client';
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: SpanAttributes;
  readonly events: readonly SpanEvent[];
  /** Why it failed; null when it did not. */
  readonly error: string | null;
}
