import type { Integer } from './count.ts';
import type { SessionId } from './id.ts';
import type { SessionState } from './session.ts';

/** A state change of a session. It belongs to no run, so it has its own kind of line in `.flow/logs/events.jsonl`. */
export interface SessionMoved {
  readonly type: 'session.moved';
  /** Milliseconds since the epoch. */
  readonly time: Integer;
  readonly session: SessionId;
  readonly title: string;
  /** Null for a new session. */
  readonly from: SessionState | null;
  readonly to: SessionState;
  /** The event that caused the change (`session.start`, `run.completed` …); `session.added` for a new session. */
  readonly by: string;
  /** The reason for the new state or for a refusal; null if there is none. */
  readonly why: string | null;
  /** Remarks about the worktree that was created; empty for other changes. */
  readonly remarks: readonly string[];
  readonly branch: string;
  /** The absolute path of the worktree; null if the session has none. */
  readonly worktree: string | null;
}
