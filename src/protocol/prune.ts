import type { RunId } from './id.ts';

/** Selects the runs to remove: those that match all given rules. Unfinished runs are never removed. */
export interface PruneRules {
  /** Selects runs that ended before this time, in milliseconds since the epoch. */
  readonly before?: number;
  /** The number of newest runs to keep; all older runs are selected. */
  readonly keep?: number;
  /** Selects the oldest runs, until the remaining journals have at most this many bytes in total. */
  readonly bytes?: number;
}

export interface PruneResult {
  readonly runs: readonly RunId[];
  readonly blobs: number;
  /** The number of model calls of these runs in the call log. */
  readonly calls: number;
  /** The number of agent conversations and of files saved when an agent's changes were undone. */
  readonly leftovers: number;
  /** The number of freed bytes. */
  readonly freed: number;
}
