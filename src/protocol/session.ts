import type { RunId, SessionId } from './id.ts';
import type { Start } from './run.ts';

/** spec/worktrees.md "Sessions and worktrees". */
export const SESSION_STATES = [
  ...['draft', 'queued', 'creating', 'running', 'halted', 'ready', 'merging', 'merged'],
  ...['updating', 'holding', 'held', 'discarding', 'discarded', 'failed'],
] as const;

export type SessionState = (typeof SESSION_STATES)[number];

/** Where a session's branch began. */
export interface SessionBase {
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** Full hash. */
  readonly commit: string;
}

/** What a session does once it has a worktree; null in one that a person works in by hand. */
export interface SessionJob {
  readonly start: Start;
  /** Absolute. */
  readonly manifest: string;
  readonly input: string | null;
  /** Absolute; answers for scripted blocks. */
  readonly script: string | null;
  /** Halts before every block. */
  readonly stepMode: boolean;
}

/** Conflicts of an update that a run is to resolve, beside the session's own job. */
export interface Resolving {
  readonly start: Start;
  /** Absolute. */
  readonly manifest: string;
  /** The commit that is merged in: a full hash. */
  readonly base: string;
  /** All that were in conflict. */
  readonly files: readonly string[];
  /** Runs that the session had before: a later one resolves. */
  readonly known: number;
  /** Where the session stands again when nothing is in conflict any more, and why. */
  readonly stood: 'ready' | 'halted' | 'failed';
  readonly why: string | null;
}

/** One task in one branch in one worktree, as `.flow/sessions.json` keeps it. Times in milliseconds since the epoch. */
export interface Session {
  readonly id: SessionId;
  readonly title: string;
  /** `robosmith/<slug>-<short id>`, or the branch that was attached; without `refs/heads/`. */
  readonly branch: string;
  /** The branch was there before the session, and outlives it. */
  readonly isAttached: boolean;
  /** Null before it was created: it starts from the base as it is then. */
  readonly base: SessionBase | null;
  /** The branch that it starts from and is merged into. */
  readonly baseBranch: string;
  /** Absolute; null without one. */
  readonly worktree: string | null;
  /** Files that it intends to modify: paths or globs from the top of the repository, with `/`. A living list. */
  readonly plan: readonly string[];
  /** What it has in fact changed since its base. */
  readonly changed: readonly string[];
  readonly job: SessionJob | null;
  readonly runs: readonly RunId[];
  /** A run has done its job: to go on with it runs nothing. */
  readonly isDone: boolean;
  /** Null: no run is to resolve conflicts in it. */
  readonly resolving: Resolving | null;
  readonly state: SessionState;
  /** Where it stood before what is under way now, and stands again if that is refused; means nothing elsewhere. */
  readonly before: SessionState;
  /** Why it has failed, halted, or was refused; for people. */
  readonly why: string | null;
  /** An update has left conflicts in its worktree that a person is to resolve; why it stood there before. Null: none has. */
  readonly unmerged: { readonly why: string | null } | null;
  /** 1 goes first; null last. */
  readonly priority: number | null;
  /** Counts submissions; null in a draft. */
  readonly submission: number | null;
  /** All of them are merged before it starts. */
  readonly after: readonly SessionId[];
  /** First of its block of ports. */
  readonly ports: { readonly first: number; readonly count: number } | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Signals of a session, independent of each other (spec/worktrees.md "Status signals"). */
export type Overlap = 'Clear' | 'Clash' | 'Clash (semantic)' | 'Unchecked';
export type QueueSignal = 'draft' | 'running' | 'queued' | 'held' | 'complete' | 'halted';

export interface SessionName {
  readonly id: SessionId;
  readonly title: string;
}

/** Text of two sessions' work that a merge of both could not settle. */
export interface ConflictText {
  readonly file: string;
  /** From 1, in the merged file. */
  readonly line: number;
  /** With git's markers. */
  readonly text: string;
}

/** Two sessions whose work, merged, would be in conflict (spec/worktrees.md "Textual clash of work done"). */
export interface PairConflict {
  readonly sessions: readonly [SessionId, SessionId];
  readonly files: readonly string[];
  readonly hunks: readonly ConflictText[];
}

/** A session beside all others, for people. */
export interface SessionView {
  readonly session: Session;
  readonly overlap: Overlap;
  /** With whom it clashes, and in which files. */
  readonly clashes: readonly { readonly with: SessionName; readonly files: readonly string[] }[];
  /** Whose work would be in conflict with its own; null: that was not compared. */
  readonly conflicts: readonly (Pick<PairConflict, 'files' | 'hunks'> & { readonly with: SessionName })[] | null;
  readonly queue: QueueSignal;
  /** `P:1` or `FIFO #2`; null for what does not wait. */
  readonly order: string | null;
  readonly waits: {
    readonly why: 'dependency' | 'clash' | 'slot';
    readonly for: readonly SessionName[];
  } | null;
}
