import type { Milliseconds, Ordinal } from './count.ts';
import type { BlockId, NodeId, SegmentId, Signal } from './id.ts';
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
  readonly source: { readonly block: BlockId; readonly visit: Ordinal } | null;
  readonly meta: JsonObject;
  /** Milliseconds since the epoch, on the run's clock. */
  readonly timestamp: Milliseconds;
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

/** The outcome of one child of a CALL or FORK, as stored in the calling frame. */
export interface Returned {
  /** The node that the CALL or FORK names. */
  readonly node: NodeId;
  /**
   * The signal with which the child's last block ended. `SIGNAL:ERROR` for a child that failed, that was cancelled
   * because another branch failed, or that was too deep; `SIGNAL:NO_SIGNAL` if a person left that block before it
   * executed.
   */
  readonly signal: Signal;
  /** The exports written by the child and by the nodes that it called; empty for a child that did not return. */
  readonly exports: Exports;
}
