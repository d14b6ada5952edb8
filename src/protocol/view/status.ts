import type { BlockStatus, HealthColour, OverlapSignal, QueueSignal } from '../generated/view.gen.ts';

/** The technical condition of a session's worktree. */
export type HealthStatus = HealthColour;

/** Whether a session plans to change, or changes, the same code as another session. */
export type OverlapStatus = OverlapSignal;

/** The state of a session in the queue. */
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
