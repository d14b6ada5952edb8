import { section } from './section.ts';

/** Requirements of sessions for git and the file system, implemented in `src/io/git/worktrees`. */
export const WORKTREES_GIT = {
  ...section(6, 'worktrees: Creating', {
    'worktrees.git.beside': 'The default place is <repo>.worktrees/, beside the repository, with short names.',
    'worktrees.git.rolls-back': 'A failure half way leaves no directory, no branch, no registration.',
    'worktrees.git.same-millisecond': 'Two asked for in the same millisecond get two different worktrees.',
    'worktrees.git.old-git': 'A git that is too old is named, with the version that is needed.',
    'worktrees.git.carried':
      'Files come from the main checkout by globs, never silently a tracked one, never from outside.',
    'worktrees.git.setup': 'Setup commands see their block of ports, their worktree and the main checkout.',
    'worktrees.git.ports': 'Blocks of free ports do not overlap those of other sessions.',
    'worktrees.git.guard':
      "HEAD, index and status of the main checkout are compared; the engine's folders do not count.",
  }),
  ...section(6, 'worktrees: Disposition', {
    'worktrees.git.nothing-lost':
      'Uncommitted, untracked, ignored-but-listed, unmerged and detached work, stashes and processes hinder a removal.',
    'worktrees.git.no-rm': 'Only git worktree remove removes; what it leaves is told.',
  }),
  ...section(6, 'worktrees: Reconciliation at start', {
    'worktrees.git.zombie': 'A directory without a session is reported, never deleted without a word.',
    'worktrees.git.ghost':
      'A session without a directory is healed when its branch is gone, else offered for re-creation.',
    'worktrees.git.defined':
      'Locked, prunable, moved, half-made, missing base, detached, no commit, submodules, bare, nested: defined outcomes.',
    'worktrees.git.lock-age': 'A lock that a killed git left is reported with its age.',
  }),
  ...section(6, 'worktrees: Status signals', {
    'worktrees.git.health': 'Green clean; amber uncommitted, stale or working; red corrupt, locked, failed or halted.',
  }),
};
