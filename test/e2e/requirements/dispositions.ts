import { section } from './section.ts';

/**
 * Requirements for the outcomes of sessions in git, implemented in `src/io/git/outcomes` and, for merge probes and
 * snapshots, `src/io/git/plumbing`.
 */
export const DISPOSITIONS = {
  ...section(6, 'worktrees: Change plan and conflict scan', {
    'worktrees.probe.same-verdict':
      'Pairs of commits or snapshots are probed without a checkout, with the verdict of the real merge and its hunks.',
    'worktrees.probe.cached': 'Verdicts are cached by the pair of tree ids.',
    'worktrees.probe.old-git': 'Where git is older than 2.38 that is said clearly.',
    'worktrees.real-overlap': 'Commits since the base and what is not committed count as part of a plan.',
  }),
  ...section(6, 'worktrees: Disposition', {
    'worktrees.merge.scratch': 'The merge commit is built and tested in a scratch worktree by squash, merge or rebase.',
    'worktrees.merge.ff-only':
      'The base moves by merge --ff-only where it is checked out, by its ref with the old value checked where it is not.',
    'worktrees.merge.refused': 'Refused or in conflict: nothing has changed, and the files are listed.',
    'worktrees.merge.said-before': 'A base that is protected or behind its remote is said before, not after.',
    'worktrees.merge.no-state': 'The state commit of a held session does not reach the base.',
    'worktrees.update.guided': 'Conflicts of an update are left in the worktree with a guided list.',
    'worktrees.update.resolver':
      'A node of the manifest can be run on what an update has left in conflict; nothing in conflict is concluded.',
    'worktrees.push.page': 'A branch is pushed, and the page of its pull request is known.',
    'worktrees.push.program':
      'Where gh or glab is installed it opens the pull request; where it is not, or fails, the page and the reason are told.',
    'worktrees.hold.committed': 'The state goes to .robo/session.json, committed on the branch.',
    'worktrees.discard.recovery':
      'Discarding keeps a recovery ref, of uncommitted work too, for 30 days; restore brings it back.',
    'worktrees.discard.doubt': 'On any doubt a discard is refused, with what was found.',
    'worktrees.nothing-lost': 'Nothing is ever lost, wherever the engine is killed.',
  }),
  ...section(6, 'engine: Durability', {
    'engine.snapshots.untouched': "Nothing of the user's index or branch is touched by a snapshot.",
    'engine.snapshots.rescue':
      'A snapshot is restored only after what is there has been saved to refs/robosmith/rescue.',
  }),
};
