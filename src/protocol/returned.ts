import type { NodeId, Signal } from './id.ts';
import type { Exports } from './payload.ts';

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
