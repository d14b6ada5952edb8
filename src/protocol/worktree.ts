import type { SessionId } from './id.ts';

/** Git or the file system did not let it be: a stable code, and a sentence with what was found and the next step. */
export interface Refused<Why extends string> {
  readonly kind: 'refused';
  readonly why: Why;
  readonly message: string;
}

/** Something to be said that stops nothing. */
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
  /** Without `refs/heads/`; null when none is checked out. */
  readonly branch: string | null;
  readonly isDetached: boolean;
  readonly isBare: boolean;
  /** The reason, which may be empty; null when it is not locked. */
  readonly locked: string | null;
  /** Why `git worktree prune` would forget it; null when it would not, as with all that are locked. */
  readonly prunable: string | null;
  /** Its folder is there. */
  readonly isThere: boolean;
}

/** What git was in the middle of. */
export type GitOperation = 'merge' | 'rebase' | 'am' | 'cherry-pick' | 'revert' | 'bisect';

/** A lock file: of a git that runs, or of one that was killed. */
export interface GitLock {
  /** Absolute. */
  readonly file: string;
  readonly ageMs: number;
}

/** How many paths of a worktree are in which state. */
export interface ChangeCounts {
  readonly staged: number;
  readonly unstaged: number;
  readonly untracked: number;
  readonly conflicted: number;
}

/** A worktree as it was found. */
export type WorktreeState =
  | { readonly kind: 'missing' }
  /** Git can't read it; `message` says what it said. */
  | { readonly kind: 'corrupt'; readonly message: string }
  /** Nobody knows: it took longer than this to look. */
  | { readonly kind: 'silent'; readonly afterMs: number }
  | {
      readonly kind: 'there';
      readonly head: string | null;
      /** Null: detached. */
      readonly branch: string | null;
      readonly changes: ChangeCounts;
      readonly operation: GitOperation | null;
      readonly locks: readonly GitLock[];
      /** The reason of a lock that is not ours; null without one. */
      readonly lockedByOthers: string | null;
      /** Commits on the base that the branch has not; null when there is no base to compare with. */
      readonly behind: number | null;
      readonly isWritable: boolean;
    };

/** A folder in the place of the worktrees. */
export interface WorktreeFolder {
  /** Absolute. */
  readonly path: string;
  /** It is a worktree of this repository, of another one, or none. */
  readonly of: 'this' | 'other' | 'none';
  /** Of this repository, and git knows it by this path. */
  readonly isRegistered: boolean;
  /** That is checked out in it, without `refs/heads/`; null when none is. */
  readonly branch: string | null;
  /** Git had not finished making it: it has no index, or git's own lock of a beginning. */
  readonly isHalfMade: boolean;
}

const LOCK_PREFIX = 'robosmith ';

/** Why a session's worktree is locked: so that `git worktree prune` and others leave it alone. */
export const lockReason = (session: SessionId): string => `${LOCK_PREFIX}${session}`;

/** Is a worktree locked by a session, and not by a person or another tool? */
export const isOurLock = (reason: string): boolean => reason.startsWith(LOCK_PREFIX);

/** Something that removing a worktree and its branch would lose, or that makes it doubtful. */
export type WorkKind =
  /** Files. */
  | ('staged' | 'unstaged' | 'untracked' | 'conflicted' | 'hidden' | 'ignored')
  /** Commits. */
  | ('commits' | 'detached' | 'stash' | 'submodule')
  /** Its condition. */
  | ('under_way' | 'branch_switched' | 'locked' | 'locked_by_git' | 'read_only' | 'processes' | 'unreadable');

export interface WorkFound {
  readonly kind: WorkKind;
  /** What was found and what to do, for people. */
  readonly message: string;
  /** Paths, commits, stashes or processes: the first ones. */
  readonly items: readonly string[];
  /** Of all of them. */
  readonly count: number;
}
