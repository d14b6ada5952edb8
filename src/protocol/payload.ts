import type { BlockId, SegmentId } from './id.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** One segment of the payload. */
export interface Segment {
  /** `<step key>.<n>`, n from 1. */
  readonly id: SegmentId;
  readonly type: string;
  readonly content: string;
  /**
   * The visit that added the segment. Null for the text of `--input`, and for segments of views that are not stored.
   */
  readonly source: { readonly block: BlockId; readonly visit: number } | null;
  readonly meta: JsonObject;
  /** Milliseconds since the epoch, on the run's clock. */
  readonly timestamp: number;
}

/**
 * A segment that a worker returns. The engine adds id, source and time. If a worker returns a segment of the payload
 * under that segment's own id, it keeps its id.
 */
export interface SegmentDraft {
  readonly id?: string;
  readonly type: string;
  readonly content: string;
  readonly meta?: JsonObject;
}

/** The segments that a frame has collected, oldest first. */
export type Payload = readonly Segment[];
/** Named JSON values that blocks pass to later blocks and to the caller. */
export type Exports = Readonly<Record<string, JsonValue>>;
