import type { SessionBase } from '#protocol/session.ts';
import type { GitLock, GitOperation, ListedWorktree } from '#protocol/worktree.ts';

/** The facts about a repository that are needed to create a session. */
export interface Repository {
  /** The top of the worktree from which the repository was located; null in a bare repository. */
  readonly top: string | null;
  /** The top of the main worktree; null in a bare repository. */
  readonly main: string | null;
  /** The git folder that all worktrees share. */
  readonly common: string;
  readonly isBare: boolean;
  readonly isShallow: boolean;
  /** The version of git, such as `2.45.1`. */
  readonly version: string;
  readonly base: SessionBase;
  /** The top of the surrounding repository's working tree; null if there is none. */
  readonly nestedIn: string | null;
  /** The paths of the submodules at the base's commit. */
  readonly submodules: readonly string[];
  /** The operation in progress in the main worktree; null if there is none. */
  readonly operation: GitOperation | null;
  /** The lock files of the main worktree. */
  readonly locks: readonly GitLock[];
  readonly worktrees: readonly ListedWorktree[];
}
