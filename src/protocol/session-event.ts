import type { SessionId } from './id.ts';
import type { SessionState } from './session.ts';

/**
 * A session has come to stand elsewhere: what spec/engine.md "Events" calls `queue.*` and `worktree.*`. It belongs to no run, so it is
 * a line of its own kind in `.flow/logs/events.jsonl`.
 */
export interface SessionMoved {
  readonly type: 'session.moved';
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly session: SessionId;
  readonly title: string;
  /** Null: it is new. */
  readonly from: SessionState | null;
  readonly to: SessionState;
  /** The event of its machine (`session.start`, `run.completed` …); `session.added` where it is new. */
  readonly by: string;
  /** Why it stands there, or why what it comes back from was refused, for people; null: as it should. */
  readonly why: string | null;
  readonly branch: string;
  /** Absolute; null: it has none. */
  readonly worktree: string | null;
}
