import type { SessionId } from './id.ts';

/** A refusal by git or the file system: a stable code, and a sentence with what was found and the next step. */
export interface Refused<Why extends string> {
  readonly kind: 'refused';
  readonly why: Why;
  readonly message: string;
}

/** A remark that does not stop the operation. */
export interface Note<Why extends string = string> {
  readonly why: Why;
  readonly message: string;
}

/** An entry of `git worktree list`. */
export interface ListedWorktree {
  /** Absolute. */
  readonly path: string;
  readonly isMain: boolean;
  /** Full hash; null before the first commit, and in a bare repository. */
  readonly head: string | null;
  /** The branch's name without `refs/heads/`; null if none is checked out. */
  readonly branch: string | null;
  readonly isDetached: boolean;
  readonly isBare: boolean;
  /** The reason of the lock, which may be empty; null if it is not locked. */
  readonly locked: string | null;
  /** Why `git worktree prune` would remove it; null if it would not. */
  readonly prunable: string | null;
  /** Whether its folder exists. */
  readonly isThere: boolean;
}

/** An unfinished git operation. */
export type GitOperation = 'merge' | 'rebase' | 'am' | 'cherry-pick' | 'revert' | 'bisect';

/** A lock file of a running or killed git. */
export interface GitLock {
  /** Absolute. */
  readonly file: string;
  readonly ageMs: number;
}

/** The number of paths of a worktree in each state. */
export interface ChangeCounts {
  readonly staged: number;
  readonly unstaged: number;
  readonly untracked: number;
  readonly conflicted: number;
}

/** The state of a worktree. */
export type WorktreeState =
  | { readonly kind: 'missing' }
  /** Git can't read it; `message` is its error. */
  | { readonly kind: 'corrupt'; readonly message: string }
  /** Its state is unknown: reading it took longer than this. */
  | { readonly kind: 'silent'; readonly afterMs: number }
  | {
      readonly kind: 'there';
      readonly head: string | null;
      /** Null: detached HEAD. */
      readonly branch: string | null;
      readonly changes: ChangeCounts;
      readonly operation: GitOperation | null;
      readonly locks: readonly GitLock[];
      /** The reason of a lock that is not ours; null without one. */
      readonly lockedByOthers: string | null;
      /** Commits on the base that the branch lacks; null if there is no base to compare with. */
      readonly behind: number | null;
      readonly isWritable: boolean;
    };

/** A folder in the project's folder of worktrees. */
export interface WorktreeFolder {
  /** Absolute. */
  readonly path: string;
  /** Whether it is a worktree of this repository, of another one, or none. */
  readonly of: 'this' | 'other' | 'none';
  /** True if git has registered this path as a worktree of this repository. */
  readonly isRegistered: boolean;
  /** The checked-out branch, without `refs/heads/`; null if none is. */
  readonly branch: string | null;
  /** True if git did not finish creating it: it lacks an index, or has git's initial lock. */
  readonly isHalfMade: boolean;
}

const LOCK_PREFIX = 'robosmith ';

/** Returns the lock reason of a session's worktree, which keeps `git worktree prune` and others away. */
export const lockReason = (session: SessionId): string => `${LOCK_PREFIX}${session}`;

/** Returns whether a session locked the worktree, and not a person or another tool. */
export const isOurLock = (reason: string): boolean => reason.startsWith(LOCK_PREFIX);

/** A kind of work that removing a worktree and its branch would lose, or that makes removal doubtful. */
export type WorkKind =
  /** Files. */
  | ('staged' | 'unstaged' | 'untracked' | 'conflicted' | 'hidden' | 'ignored')
  /** Commits. */
  | ('commits' | 'detached' | 'stash' | 'submodule')
  /** The condition of the worktree. */
  | ('under_way' | 'branch_switched' | 'locked' | 'locked_by_git' | 'read_only' | 'processes' | 'unreadable');

export interface WorkFound {
  readonly kind: WorkKind;
  /** What was found and what to do. */
  readonly message: string;
  /** The first paths, commits, stashes or processes. */
  readonly items: readonly string[];
  /** The number of all items. */
  readonly count: number;
}
