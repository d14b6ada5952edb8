import { expect, test } from 'vitest';
import { dispatchTask, mostFailures } from '#logic/plan/dispatch-task.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { treeOf } from './tree-of.ts';

const WORKERS = ['git', 'Internal:TestRunner', 'Straße', 'ﬁle', 'Twin', 'Tw\u200bin'];

const ITEMS: readonly (readonly [what: string, item: string, dispatched: string])[] = [
  ['a worker', 'git', 'worker git'],
  ['a built-in worker', 'Internal:TestRunner', 'worker Internal:TestRunner'],
  ['a prefix', '[git] commit it', 'worker git'],
  ['a prefix without a blank', '[git]commit', 'worker git'],
  ['a prefix of a built-in worker', '[Internal:TestRunner] all', 'worker Internal:TestRunner'],
  ['brackets further on', 'use [git]', 'person'],
  ['an unclosed prefix', '[git commit', 'person'],
  ['brackets in brackets', '[[git]] commit', 'person'],
  ['an empty prefix', '[] git', 'person'],
  ['a name that begins like a worker', 'git commit', 'person'],
  ['another case', 'Git', 'person'],
  ['an invisible character in it', 'g\u200bit', 'worker git'],
  ['a soft hyphen in it', 'gi\u00adt', 'worker git'],
  ['a mark that turns the direction', '\u202egit', 'worker git'],
  ['a byte order mark', '\ufeffgit', 'worker git'],
  ['a filler of Korean', 'git\u3164', 'worker git'],
  ['wide letters', 'ｇｉｔ', 'worker git'],
  ['wide brackets', '［git］ commit', 'worker git'],
  ['an accent in two parts', 'Stra\u00dfe', 'worker Straße'],
  ['a ligature in the registry', 'file', 'worker ﬁle'],
  ['Cyrillic letters that look alike', 'gіt', 'person'],
  ['two that look alike: the one that is written so', 'Twin', 'worker Twin'],
  ['two that look alike: neither', 'T\u200bwin', 'person'],
  ['nothing that can be seen', '\u200b\u2060', 'person'],
  ['a name of objects', '__proto__', 'person'],
  ['the name of the constructor', 'constructor', 'person'],
  ['a flow', 'Build <!-- type: flow -->', 'flow Build'],
  ['a flow with its node', 'Build <!-- type: flow, node: Feature_Implement -->', 'flow Feature_Implement'],
  ['metadata beats the registry', 'git <!-- type: flow -->', 'flow git'],
  ['another type', 'git <!-- type: chore -->', 'worker git'],
  ['metadata in a code span', 'Build `<!-- type: flow -->`', 'person'],
  ['metadata in the middle', 'Build <!-- type: flow --> it', 'person'],
  ['an invisible character in flow', 'Build <!-- type: fl\u200bow -->', 'flow Build'],
];

test.each(ITEMS)('%s', (_what, item, expected) => {
  verifies('tasks.dispatch.flow', 'tasks.dispatch.registry', 'tasks.dispatch.person', 'tasks.dispatch.matching');
  const { tree, problems } = treeOf(`- [ ] ${item}`);
  expect(problems).toEqual([]);
  const [task] = tree.tasks;
  if (task === undefined) throw new Error('there is no task');
  const dispatched = dispatchTask(task, WORKERS);
  const name =
    dispatched.kind === 'flow' ? ` ${dispatched.node}` : dispatched.kind === 'worker' ? ` ${dispatched.worker}` : '';
  expect(`${dispatched.kind}${name}`).toBe(expected);
});

test('a task may ask for fewer tries, never for more', () => {
  const most = (metadata: string): number => mostFailures({ metadata: new Map([['retries', metadata]]) });
  expect([mostFailures({ metadata: new Map() }), most('0'), most('2'), most('9')]).toEqual([3, 0, 2, 3]);
});
