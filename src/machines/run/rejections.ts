import type { GraphBlock } from '#protocol/graph.ts';
import { FAIL_DEFAULT, REJECTED } from '#protocol/signal.ts';
import type { Frame } from './state.ts';

/** How often a person may reject the work at one gate of a frame, unless the block has `max_rejections`. */
const MOST_REJECTIONS = 3;

/**
 * True if the run continues after a rejection: the block has a row for SIGNAL:REJECTED, or a SIGNAL:FAIL_DEFAULT row
 * that does not only halt again.
 */
const takesRejection = ({ transitions }: GraphBlock): boolean =>
  transitions.some(({ signal, action }) => signal === REJECTED || (signal === FAIL_DEFAULT && action.kind !== 'halt'));

/** Returns how often the block can still be rejected in this frame; null if its table has no row for that. */
export function rejectionsLeft({ rejections }: Frame, block: GraphBlock): number | null {
  if (!takesRejection(block)) return null;
  return Math.max(0, (block.maxRejections ?? MOST_REJECTIONS) - (rejections.get(block.id) ?? 0));
}

/** Counts a rejection, over all visits of the block in the frame. */
export function countRejection({ rejections }: Frame, { id }: GraphBlock): void {
  rejections.set(id, (rejections.get(id) ?? 0) + 1);
}
