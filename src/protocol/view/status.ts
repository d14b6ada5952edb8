import type { BlockStatus, HealthColour, OverlapSignal, QueueSignal } from '../generated/view.gen.ts';

/** The technical condition of a session's worktree. */
export type HealthStatus = HealthColour;

/** Whether a session plans or changes what another one does. */
export type OverlapStatus = OverlapSignal;

/** Where a session stands in the queue. */
export type QueueStatus = QueueSignal;

/** The word for each status, the same in every view. */
export const STATUS_WORD: Readonly<Record<BlockStatus, string>> = {
  pending: 'Pending',
  active: 'Running',
  complete: 'Complete',
  failed: 'Failed',
  halted: 'Action required',
  skipped: 'Skipped',
};
