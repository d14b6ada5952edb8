import { section } from './section.ts';

export const TASKS = {
  ...section(4, 'tasks: Grammar', {
    'tasks.grammar.header': 'Key: Value lines before the first task; the last one wins.',
    'tasks.grammar.task': 'A task is `- [ ] Name`, indented by exactly four spaces a level.',
    'tasks.grammar.markers': '[ ] pending, [/] active, [x] [X] [v] done, [-] skipped, [!] failed.',
    'tasks.grammar.brackets': 'A marker counts only at the start of the item; brackets inside a name are text.',
    'tasks.grammar.reference':
      '`Name @ path.md`, quotes where the path has spaces, relative to .flow/, no `..`, no protocol.',
    'tasks.grammar.metadata': 'An HTML comment at the end of the item.',
    'tasks.grammar.metadata-only-there': 'Not in a code span, a code block or another line.',
    'tasks.grammar.errors': 'All errors with line numbers: indentation, tabs, markers, parents, siblings, references.',
  }),
  ...section(4, 'tasks: Tree', {
    'tasks.tree.ids': 'Ids are positions, computed at load, never written.',
    'tasks.tree.stale': 'A change of structure invalidates them: stale_id.',
    'tasks.tree.anchor': 'An update may carry the name that it expects.',
    'tasks.tree.active': 'getActiveTask() is the deepest active task.',
    'tasks.tree.references': 'Through references into sub-files.',
    'tasks.tree.smart-resume': 'With none active, the first pending one, depth first.',
    'tasks.tree.activating': 'Activating needs an active parent and no active sibling.',
    'tasks.tree.completing': 'Completing the last child completes the parent, all the way up.',
    'tasks.tree.working-activates': 'Working on a child activates its parent, all the way up.',
  }),
  ...section(4, 'tasks: Saving', {
    'tasks.saving.regenerated': 'Regenerated from the tree: LF, four spaces, normal markers.',
    'tasks.saving.names': 'Names byte for byte as they were.',
    'tasks.saving.metadata': 'Metadata kept, other comments dropped.',
    'tasks.saving.identity': 'Load → save of a normal file is the identity.',
    'tasks.saving.backups': 'Before each save the old file goes to .flow/backups/.',
    'tasks.saving.noticed': '.flow/status.meta holds the SHA-256: a file changed by another hand is noticed at load.',
    'tasks.saving.accept-or-restore': 'The caller chooses: accept or restore the backup.',
    'tasks.saving.strict': 'The command line accepts with a notice by default, --strict refuses.',
  }),
  ...section(4, 'tasks: Dispatch', {
    'tasks.next': 'next works on one task.',
    'tasks.work': 'work takes tasks until none is left or one needs a person.',
    'tasks.dispatch.flow': 'Metadata `type: flow` runs the node that `node` names (default: the name) as a workflow.',
    'tasks.dispatch.registry': 'A name, or its [Prefix], in the registry runs that worker as a one-block flow.',
    'tasks.dispatch.matching': 'Matching is exact after NFKC and the removal of invisible characters.',
    'tasks.dispatch.person': 'Else Internal:ManualIntervention: the task halts for a person.',
    'tasks.dispatch.intent': 'intent.lock is written before dispatch.',
    'tasks.dispatch.fatal': 'Failed more than three times: marked [!] FATAL, and work halts.',
  }),
  ...section(4, 'tasks: Zoom', {
    'tasks.zoom.in':
      'zoom in creates .flow/sub_flows/task_<id>.md, with a suffix where it exists, links it and makes it the scope.',
    'tasks.zoom.out': 'zoom out goes back.',
    'tasks.zoom.completes': "A sub-file's completion completes its task.",
    'tasks.zoom.bounded': 'Nesting is bounded, and a file that links back to one of its ancestors is an error.',
  }),
} as const;
