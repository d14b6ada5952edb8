import { section } from './section.ts';

export const WORKTREES = {
  ...section(6, 'worktrees: Sessions and worktrees', {
    'worktrees.session.machine': 'Illegal events are refused with an error that names the state.',
    'worktrees.session.stored': '.flow/sessions.json is the one truth about sessions.',
  }),
  ...section(6, 'worktrees: Creating', {
    'worktrees.create.place': 'The worktree lies in the sibling folder <repo>.worktrees/.',
    'worktrees.create.never-main':
      'Without isolation the session fails with the reason; it never uses the main checkout.',
    'worktrees.create.bootstrap':
      'Files are copied, linked or shared, never silently a tracked one; setup and teardown run.',
    'worktrees.create.ports': 'Each session has a block of free ports in ROBOSMITH_PORT_0 and up.',
    'worktrees.create.attach':
      'An existing branch can be attached; with isolation none there is no session, and --in works without one.',
    'worktrees.create.rollback': 'A failure half way leaves no directory, no branch, no session.',
    'worktrees.create.apart': 'Two sessions asked for in the same millisecond get two worktrees.',
    'worktrees.guard': 'A change of the main checkout by a session is a warning with the diff, or a halt.',
  }),
  ...section(6, 'worktrees: Change plan and conflict scan', {
    'worktrees.plan.rescan': 'When any plan changes, every session is scanned again.',
    'worktrees.clash.direct': 'Two plans that share a file are a Clash, with the files and the other title.',
    'worktrees.clash.textual':
      'Live pairs are probed with git merge-tree: the same verdict as the real merge, with the hunks.',
    'worktrees.clash.cached': 'Probes are cached by the pair of tree ids.',
    'worktrees.clash.real': 'What a session has really changed counts as part of its plan.',
    'worktrees.clash.unchecked': 'Without an index the label says that semantics were not checked.',
  }),
  ...section(6, 'worktrees: Change plan and conflict scan', {
    'worktrees.clash.proved':
      "A checker of the project proves or withdraws a Clash (semantic) on the merged files; what a branch's own files report already proves nothing.",
    'worktrees.clash.semantic': 'A file that depends on a symbol of the other plan is a Clash (semantic).',
  }),
  ...section(6, 'worktrees: Queue', {
    'worktrees.queue.order':
      'Priority, 1 first and none last, then time of submission; the same input gives the same schedule.',
    'worktrees.queue.claims': 'A halted, ready or held session frees its slot and keeps its claim.',
    'worktrees.queue.no-starving': 'No waiting session overtakes an earlier one that clashes with it.',
    'worktrees.queue.by-itself': 'A session whose clash is gone starts by itself.',
  }),
  ...section(6, 'worktrees: Disposition', {
    'worktrees.merge.strategies':
      'Squash, merge or rebase, built in a scratch worktree; tests on the merged tree if asked for.',
    'worktrees.merge.dirty-base': "The base moves by fast-forward only; the user's dirty files stay.",
    'worktrees.update': 'Update from base leaves conflicts in the worktree with a guided list.',
    'worktrees.push': 'Push pushes the branch; the session stays ready.',
    'worktrees.discard':
      'Discard asks first and keeps a recovery ref, also of uncommitted work; restore brings it back.',
    'worktrees.hold': 'Hold commits .robo/session.json on the branch; resume goes on at the very block, elsewhere too.',
    'worktrees.hold.not-on-base': 'The state commit does not reach the base branch.',
  }),
  ...section(6, 'worktrees: Dependencies between sessions', {
    'worktrees.after.and': 'after waits for all of them to be merged.',
    'worktrees.after.discarded': 'A session whose dependency was discarded halts and says so.',
  }),
  ...section(6, 'worktrees: Reconciliation at start', {
    'worktrees.reconcile':
      'Zombies are reported, ghosts healed or offered for re-creation; every odd state has an outcome.',
    'worktrees.clean': 'worktrees clean lists what would go and asks.',
  }),
  ...section(6, 'worktrees: Status signals', {
    'worktrees.signals': 'Health, Overlap, Queue and Order are independent of each other.',
  }),
};
