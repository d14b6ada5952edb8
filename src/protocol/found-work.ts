import type { Count, Milliseconds } from './count.ts';

/** A run or a call that a search has found. */
export interface FoundWork {
  readonly kind: 'run' | 'call';
  readonly id: string;
  readonly started_at: Milliseconds;
  /** The start of a run, or the block of a call; empty if the call belongs to none. */
  readonly what: string;
  /** The outcome of a call; of a run, the reason of its failure, `completed`, `cancelled` or `unfinished`. */
  readonly outcome: string;
  /** The run; null for a call outside of runs. */
  readonly run: string | null;
  /** What a call called; null for a run. */
  readonly model: string | null;
  /** Millionths of a US dollar; null if unknown. */
  readonly micro_usd: Count | null;
  /** The command that shows it. */
  readonly open: string;
}
