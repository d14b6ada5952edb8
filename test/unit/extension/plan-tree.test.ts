import { expect, test } from 'vitest';
import { withJson } from '../../../src/extension/plan/run-tasks.ts';
import { moveArguments, nestTasks, type PlanItem, type PlanListing } from '../../../src/extension/plan/plan-tree.ts';

const task = (id: string, name: string) => ({
  id,
  name,
  status: 'pending' as const,
  depth: id.split('.').length - 1,
  reference: null,
  metadata: {},
  run: null,
  failures: 0,
});

const LISTING: PlanListing = {
  file: 'status.md',
  scope: [],
  header: {},
  structure: '0123',
  active: '1.1.1',
  tasks: [task('1', 'a'), task('1.1', 'b'), task('1.1.1', 'c'), task('1.2', 'd'), task('2', '-e')],
  changed: [],
};

const shape = (items: readonly PlanItem[]): unknown =>
  items.map(({ task: { name }, children }) => [name, shape(children)]);

const named = (name: string) => LISTING.tasks.find((one) => one.name === name) ?? task('9', name);

test('tasks are nested by their depth', () => {
  expect(shape(nestTasks(LISTING.tasks))).toEqual([
    [
      'a',
      [
        ['b', [['c', []]]],
        ['d', []],
      ],
    ],
    ['-e', []],
  ]);
  expect(nestTasks([])).toEqual([]);
});

test('a dropped task moves before the one that it is dropped on, or to the end of the plan', () => {
  expect(moveArguments(named('d'), named('b'), LISTING)).toEqual([
    ...['move', '1.2', '--name', 'd', '--structure', '0123'],
    ...['--before', '1.1'],
  ]);
  expect(moveArguments(named('a'), null, LISTING)).toEqual([
    ...['move', '1', '--name', 'a', '--structure', '0123'],
    '--last',
  ]);
  expect(moveArguments(named('a'), named('a'), LISTING)).toBeNull();
});

test('a name that begins with a dash stays a name', () => {
  expect(withJson(['tasks', 'add', '--under', '1', '--', '-e'])).toEqual([
    ...['tasks', 'add', '--under', '1', '--json', '--', '-e'],
  ]);
  expect(withJson(['zoom', 'out'])).toEqual(['zoom', 'out', '--json']);
});
