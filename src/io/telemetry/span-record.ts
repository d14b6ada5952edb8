export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanEvent {
  readonly name: string;
  readonly time: number;
  readonly attributes: SpanAttributes;
}

/** A span that has ended, before its conversion to OpenTelemetry. Times are in milliseconds since the epoch. */
export interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** `client` marks a call of another system. */
  readonly kind: 'internal' | 'client';
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: SpanAttributes;
  readonly events: readonly SpanEvent[];
  /** The error message, or null if there was no error. */
  readonly error: string | null;
}
