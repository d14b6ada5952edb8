import type { Milliseconds } from './count.ts';
import type { RunId, SessionId } from './id.ts';
import type { DelayedRetry, OpenHalt, RunSummary } from './run-summary.ts';

/** A halt that a person may answer now. */
export interface WaitingHalt extends OpenHalt, Pick<RunSummary, 'node' | 'steps'> {
  readonly run: RunId;
  /** The session that the run works for; null without one. */
  readonly session: SessionId | null;
  /** The session's title; null without one. */
  readonly title: string | null;
  /** Commands that answer the halt. The user has to add a block to the `jump` command. */
  readonly answers: readonly string[];
}

/** A session that needs a person although none of its runs has a waiting halt. */
export interface WaitingSession {
  readonly session: SessionId;
  readonly title: string;
  readonly state: 'halted' | 'ready' | 'failed';
  /** Milliseconds since the epoch. */
  readonly since: Milliseconds;
  readonly why: string | null;
  /** Commands that continue the session, most likely one first. */
  readonly answers: readonly string[];
}

/** Everything in a project that waits for a person, oldest first. */
export interface Inbox {
  readonly waiting: readonly WaitingHalt[];
  readonly sessions: readonly WaitingSession[];
  /** Runs that can't be read, newest first. Whether they wait for a person is unknown. */
  readonly damaged: readonly RunId[];
  /** Blocks that a recovery policy executes again at a later time. They need no answer. */
  readonly retrying?: readonly (DelayedRetry & { readonly run: RunId })[];
  /** Interrupted or stopped runs that can be resumed, newest first. */
  readonly interrupted: readonly RunId[];
}
