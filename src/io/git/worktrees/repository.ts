import type { SessionBase } from '#protocol/session.ts';
import type { GitLock, GitOperation, ListedWorktree } from '#protocol/worktree.ts';

/** What a session must know of its repository before it is made. */
export interface Repository {
  /** Top folder of the worktree that was asked about; null in a bare repository. */
  readonly top: string | null;
  /** Top folder of the main worktree; null in a bare repository. */
  readonly main: string | null;
  /** The git folder that all worktrees share. */
  readonly common: string;
  readonly isBare: boolean;
  readonly isShallow: boolean;
  /** Of git, e.g. `2.45.1`. */
  readonly version: string;
  readonly base: SessionBase;
  /** The repository around it, whose working tree it lies in; null without one. */
  readonly nestedIn: string | null;
  /** Paths of the base's submodules. */
  readonly submodules: readonly string[];
  /** Under way in the main worktree. */
  readonly operation: GitOperation | null;
  /** Of the main worktree. */
  readonly locks: readonly GitLock[];
  readonly worktrees: readonly ListedWorktree[];
}
