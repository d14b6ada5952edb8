import type { SessionId } from './id.ts';

/** A refusal by git or the file system: a stable code, and a sentence that states the cause and the next step. */
export interface WorktreeRefusal<Why extends string> {
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
  /** The reason given for the lock, possibly empty; null if the worktree is not locked. */
  readonly locked: string | null;
  /** Why `git worktree prune` would remove the worktree; null if it would not. */
  readonly prunable: string | null;
  /** Whether its folder exists. */
  readonly isThere: boolean;
}

/** An unfinished git operation. */
export type GitOperation = 'merge' | 'rebase' | 'am' | 'cherry-pick' | 'revert' | 'bisect';

/** A lock file of a git process that is running or was killed. */
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
  /** Git can't read the worktree; `message` is git's error. */
  | { readonly kind: 'corrupt'; readonly message: string }
  /** The state is unknown, because reading it took longer than `afterMs`. */
  | { readonly kind: 'silent'; readonly afterMs: number }
  | {
      readonly kind: 'there';
      readonly head: string | null;
      /** Null: detached HEAD. */
      readonly branch: string | null;
      readonly changes: ChangeCounts;
      readonly operation: GitOperation | null;
      readonly locks: readonly GitLock[];
      /** The reason of a lock that RoboSmith did not set; null without one. */
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
  /** The worktree's index if git can't read it; null if it can. */
  readonly damagedIndex: string | null;
  /** True if its repository was moved, so that it names a git folder that no longer exists. */
  readonly needsRepair: boolean;
  /**
   * The folder in which this repository has registered a worktree that belongs to another copy of the repository; null
   * for other worktrees.
   */
  readonly copiedEntry: string | null;
}

const LOCK_PREFIX = 'robosmith ';

/**
 * Returns the lock reason for a session's worktree. The lock protects it from `git worktree prune` and from other
 * tools.
 */
export const lockReason = (session: SessionId): string => `${LOCK_PREFIX}${session}`;

/** Returns whether RoboSmith locked the worktree for a session, rather than a person or another tool. */
export const isOurLock = (reason: string): boolean => reason.startsWith(LOCK_PREFIX);

/**
 * A kind of work that would be lost if the worktree and its branch were removed, or a condition that makes removal
 * unsafe.
 */
export type WorkKind =
  /** Files. */
  | ('staged' | 'unstaged' | 'untracked' | 'conflicted' | 'hidden' | 'ignored')
  /** Commits. */
  | ('commits' | 'detached' | 'stash' | 'submodule')
  /** The condition of the worktree. */
  | ('under_way' | 'branch_switched' | 'locked' | 'locked_by_git' | 'read_only' | 'processes' | 'unreadable');

export interface WorkFound {
  readonly kind: WorkKind;
  /** A message that says what was found and what to do. */
  readonly message: string;
  /** The first paths, commits, stashes or processes. */
  readonly items: readonly string[];
  /** The total number of items, including those not in `items`. */
  readonly count: number;
}
