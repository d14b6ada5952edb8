import type { RunId, SessionId } from './id.ts';
import type { OpenHalt, RunSummary } from './run-summary.ts';

/** A halt that a person may answer now. */
export interface WaitingHalt extends OpenHalt, Pick<RunSummary, 'node' | 'steps'> {
  readonly run: RunId;
  /** That the run works for; null: none. */
  readonly session: SessionId | null;
  /** Commands that answer it; a jump needs a block besides. */
  readonly answers: readonly string[];
}

/** A session that goes no further without a person, where no halt of its runs says so already. */
export interface WaitingSession {
  readonly session: SessionId;
  readonly title: string;
  readonly state: 'halted' | 'ready' | 'failed';
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly why: string | null;
  /** Commands that go on with it; the most likely one first. */
  readonly answers: readonly string[];
}

/** All that waits for a person in a project, each the oldest first. */
export interface Inbox {
  readonly waiting: readonly WaitingHalt[];
  readonly sessions: readonly WaitingSession[];
  /** Runs that can't be read, the newest first: whether one waits is not known. */
  readonly damaged: readonly RunId[];
  /** Runs that were cut off or stopped, the newest first: nothing works on them, and they can go on. */
  readonly interrupted: readonly RunId[];
}
