import type { SessionId } from './id.ts';
import type { SessionState } from './session.ts';

/**
 * A state change of a session. It belongs to no run, so it is a line of its own kind in `.flow/logs/events.jsonl`.
 */
export interface SessionMoved {
  readonly type: 'session.moved';
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly session: SessionId;
  readonly title: string;
  /** Null for a new session. */
  readonly from: SessionState | null;
  readonly to: SessionState;
  /** The event of the session's machine (`session.start`, `run.completed` …); `session.added` for a new one. */
  readonly by: string;
  /** The reason for the new state, or for a refusal; null if there is none to give. */
  readonly why: string | null;
  readonly branch: string;
  /** Absolute; null without one. */
  readonly worktree: string | null;
}
