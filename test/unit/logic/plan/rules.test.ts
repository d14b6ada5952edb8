import { describe, expect, test } from 'vitest';
import { getActiveTask, nextTask } from '#logic/plan/active-task.ts';
import { addTask, linkFile, moveTask, removeTask, setStatus, startWork } from '#logic/plan/change-tree.ts';
import { findByKey, findTask, keyOf, structureOf, taskAt } from '#logic/plan/find-task.ts';
import { renderTree } from '#logic/plan/render-status.ts';
import { idOf, walkTasks } from '#logic/plan/walk-tasks.ts';
import type { TaskChange, TaskPath, TaskStatus, TaskTree } from '#protocol/task-tree.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { treeOf } from './tree-of.ts';

const FILES = { 'b.md': '- [x] b1\n- [ ] b2\n    - [ ] b21' };

const pathOf = (id: string): TaskPath => id.split('.').map((part) => Number(part) - 1);

/** Returns the markers of all tasks in order, or the code of the refusal. */
function markers(change: TaskChange): string {
  if (!change.ok) return change.problem.code;
  return Array.from(renderTree(change.tree).values(), (text) =>
    Array.from(text.matchAll(/- \[(.)\]/g), ([, sign]) => sign).join(''),
  ).join('|');
}

describe('the active task', () => {
  const ACTIVE: readonly (readonly [what: string, text: string, active: string | null, next: string])[] = [
    ['nothing is there', '', null, 'none'],
    ['all is done', '- [x] a\n- [-] b', null, 'none'],
    ['none is active: the first pending one', '- [x] a\n- [ ] b\n- [ ] c', '2', 'task 2'],
    ['depth first', '- [ ] a\n    - [x] b\n    - [ ] c\n        - [ ] d\n- [ ] e', '1.2.1', 'task 1.2.1'],
    [
      'the deepest active one',
      '- [/] a\n    - [x] b\n    - [/] c\n        - [/] d\n        - [ ] e',
      '1.2.1',
      'task 1.2.1',
    ],
    ['an active one with open ones below it', '- [/] a\n    - [x] b\n    - [ ] c', '1', 'task 1.2'],
    ['an active one beats an earlier pending one', '- [ ] a\n- [/] b', '2', 'task 2'],
    ['through a reference', '- [/] a @ b.md', '1', 'task 1.2.1'],
    ['pending through a reference', '- [ ] a @ b.md', '1.2.1', 'task 1.2.1'],
    ['what failed is passed over', '- [!] a\n- [ ] b', '2', 'task 2'],
    ['only failed ones are left below it', '- [/] a\n    - [!] b\n- [ ] c', '1', 'blocked 1'],
    ['a pending one with failed ones only', '- [ ] a\n    - [!] b\n- [ ] c', '2', 'task 2'],
    ['all below it is done', '- [/] a\n    - [x] b\n    - [-] c', '1', 'complete 1'],
    ['nothing below what is closed', '- [-] a\n    - [/] b\n- [!] c\n    - [/] d\n- [ ] e', '3', 'task 3'],
    ['nothing is left but what is below what is closed', '- [-] a\n    - [/] b', null, 'none'],
    ['a skipped one hides what is below it', '- [-] a\n    - [ ] b\n- [ ] c', '2', 'task 2'],
  ];
  test.each(ACTIVE)('%s', (_what, text, active, next) => {
    verifies('tasks.tree.active', 'tasks.tree.smart-resume');
    const { tree, problems } = treeOf(text, FILES);
    expect(problems).toEqual([]);
    const found = getActiveTask(tree);
    expect(found === null ? null : idOf(found.path)).toBe(active);
    const picked = nextTask(tree);
    expect(picked.kind === 'none' ? 'none' : `${picked.kind} ${idOf(picked.placed.path)}`).toBe(next);
  });
});

describe('setting a marker', () => {
  const SET: readonly (readonly [what: string, text: string, id: string, to: TaskStatus, markers: string])[] = [
    ['activates at the top', '- [ ] a\n- [ ] b', '2', 'active', ' /'],
    ['needs an active parent', '- [ ] a\n    - [ ] b', '1.1', 'active', 'tasks_parent_not_active'],
    ['below an active parent', '- [/] a\n    - [ ] b', '1.1', 'active', '//'],
    ['needs that no sibling is active', '- [/] a\n- [ ] b', '2', 'active', 'tasks_two_active'],
    ['the last child completes its parent', '- [/] a\n    - [x] b\n    - [/] c', '1.2', 'done', 'xxx'],
    ['and so on up', '- [/] a\n    - [/] b\n        - [/] c\n- [ ] d', '1.1.1', 'done', 'xxx '],
    ['not the last child', '- [/] a\n    - [/] b\n    - [ ] c', '1.1', 'done', '/x '],
    ['a failed sibling keeps it open', '- [/] a\n    - [!] b\n    - [/] c', '1.2', 'done', '/!x'],
    ['a skipped last child', '- [/] a\n    - [x] b\n    - [ ] c', '1.2', 'skipped', 'xx-'],
    ['only skipped children', '- [ ] a\n    - [ ] b', '1.1', 'skipped', '--'],
    ['through a reference', '- [/] a @ b.md\n- [ ] c', '1.2', 'skipped', 'x |x- '],
    ['done with open children', '- [/] a\n    - [ ] b', '1', 'done', 'tasks_unfinished_child'],
    ['opening a child of what is done', '- [x] a\n    - [x] b', '1.1', 'pending', 'tasks_unfinished_child'],
    ['failed stays by itself', '- [/] a\n    - [/] b', '1.1', 'failed', '/!'],
    [
      'skipped: nothing below it is active',
      '- [/] a\n    - [/] b\n        - [x] c\n    - [!] d',
      '1',
      'skipped',
      '- x!',
    ],
    ['failed: nothing below it is active', '- [/] a\n    - [/] b\n        - [/] c', '1', 'failed', '!  '],
    ['active, and its file is missing', '- [ ] a @ none.md', '1', 'active', 'tasks_missing_reference'],
  ];
  test.each(SET)('%s', (_what, text, id, to, expected) => {
    verifies('tasks.tree.activating', 'tasks.tree.completing', 'tasks.zoom.completes');
    expect(markers(setStatus(treeOf(text, FILES).tree, pathOf(id), to))).toBe(expected);
  });

  test('working on a task activates all above it, through references', () => {
    verifies('tasks.tree.working-activates');
    expect(markers(startWork(treeOf('- [ ] a @ b.md\n- [ ] c', FILES).tree, [0, 1, 0]))).toBe('/ |x//');
    expect(markers(startWork(treeOf('- [ ] a\n- [/] b').tree, [0]))).toBe('tasks_two_active');
  });

  test('working on a task opens nothing that a person has closed', () => {
    for (const marker of ['-', '!', 'x'])
      expect(markers(startWork(treeOf(`- [${marker}] a\n    - [ ] b\n        - [ ] c`).tree, [0, 0, 0]))).toBe(
        'tasks_parent_not_active',
      );
    const skipped = setStatus(treeOf('- [/] a\n    - [/] b\n- [ ] c').tree, [0], 'skipped');
    if (!skipped.ok) throw new Error(skipped.problem.message);
    const next = nextTask(skipped.tree);
    if (next.kind !== 'task') throw new Error(next.kind);
    expect(markers(startWork(skipped.tree, next.placed.path))).toBe('- /');
  });
});

describe('structure', () => {
  const task = { name: 'new', metadata: new Map() };

  test('adding, removing, a file of its own', () => {
    const { tree } = treeOf('- [/] a\n    - [x] b\n    - [ ] c\n- [ ] d @ b.md', FILES);
    expect(markers(addTask(tree, task, { under: [] }))).toBe('/x   |x  ');
    expect(markers(addTask(tree, task, { under: [0] }))).toBe('/x   |x  ');
    expect(markers(addTask(tree, task, { before: [0] }))).toBe(' /x  |x  ');
    expect(markers(addTask(tree, task, { under: [1] }))).toBe('/x  |x   ');
    expect(markers(addTask(tree, { ...task, name: 'b' }, { under: [0] }))).toBe('tasks_duplicate_name');
    expect(markers(addTask(treeOf('- [x] a').tree, task, { under: [0] }))).toBe('tasks_unfinished_child');
    expect(markers(addTask(treeOf('- [ ] a @ none.md').tree, task, { under: [0] }))).toBe('tasks_missing_reference');
    expect(markers(removeTask(tree, [0, 1]))).toBe('xx |x  ');
    expect(markers({ ok: true, tree: linkFile(tree, [0], 'c.md') })).toBe('/ |x |x  ');
  });

  const ADDRESSES: readonly (readonly [what: string, id: string, anchor: string | undefined, found: string])[] = [
    ['a position', '1', undefined, 'a'],
    ['a position below', '1.2', undefined, 'c'],
    ['through a reference', '2.2.1', undefined, 'b21'],
    ['with its name', '1.2', 'c', 'c'],
    ['with the name of another', '1.1', 'c', 'stale_id'],
    ['with a name that looks alike', '1.2', 'c\u200b', 'stale_id'],
    ['that is not there', '3', undefined, 'stale_id'],
    ['not there below', '1.3', undefined, 'stale_id'],
    ['zero', '0', undefined, 'stale_id'],
    ['no position', 'a', undefined, 'stale_id'],
    ['empty', '', undefined, 'stale_id'],
    ['a number that is none', '1e0', undefined, 'stale_id'],
    ['a prototype', '__proto__', undefined, 'stale_id'],
    ['too large', '99999999999999999999', undefined, 'stale_id'],
  ];
  test.each(ADDRESSES)('addressed by %s', (_what, id, anchor, expected) => {
    verifies('tasks.tree.ids', 'tasks.tree.stale', 'tasks.tree.anchor');
    const { tree } = treeOf('- [/] a\n    - [x] b\n    - [ ] c\n- [ ] d @ b.md', FILES);
    const found = findTask(tree, { id, ...(anchor === undefined ? {} : { anchor }) });
    expect(found.ok ? found.found.task.name : found.problem.code).toBe(expected);
  });

  test('a change of the structure invalidates ids; a marker does not', () => {
    verifies('tasks.tree.stale');
    const { tree } = treeOf('- [ ] a\n- [ ] b');
    const structure = structureOf(tree);
    const marked = setStatus(tree, [0], 'done');
    const added = addTask(tree, task, { before: [0] });
    if (!marked.ok || !added.ok) throw new Error('refused');
    expect(findTask(marked.tree, { id: '1', structure }).ok).toBe(true);
    expect(findTask(added.tree, { id: '1', structure })).toMatchObject({ ok: false, problem: { code: 'stale_id' } });
    const others = ['- [ ] b\n- [ ] a', '- [ ] a\n    - [ ] b', '- [ ] a', '- [ ] ab\n- [ ] b'];
    for (const text of others) expect(structureOf(treeOf(text).tree)).not.toBe(structure);
  });

  test('a key is the same wherever a task is moved to among its siblings', () => {
    const { tree } = treeOf('- [ ] a/b\n    - [ ] c\n- [ ] d @ b.md', FILES);
    const keys = ([path, key]: readonly [TaskPath, string]): void => {
      const placed = taskAt(tree, path);
      if (placed === null) throw new Error('it is not there');
      expect(keyOf(placed)).toBe(key);
      expect(findByKey(tree, key)?.path).toEqual(path);
    };
    keys([[0, 0], 'status.md#a\\/b/c']);
    keys([[1, 1, 0], 'b.md#b2/b21']);
    expect(findByKey(treeOf('- [ ] x\n- [/] a/b\n    - [ ] y\n    - [ ] c').tree, 'status.md#a\\/b/c')?.path).toEqual([
      1, 1,
    ]);
  });
});

describe('moving a task', () => {
  const TREE = '- [ ] a\n    - [x] a1\n    - [ ] a2\n- [ ] b\n    - [ ] b1\n- [/] c\n    - [/] c1\n    - [ ] c2';
  type Place = { readonly before: string } | { readonly under: string };
  const at = (place: Place) =>
    'before' in place ? { before: pathOf(place.before) } : { under: place.under === '' ? [] : pathOf(place.under) };
  /** Returns the names of all tasks with their depth and markers, or the code of the refusal. */
  const shape = (id: string, place: Place, text = TREE): string => {
    const moved = moveTask(treeOf(text, FILES).tree, pathOf(id), at(place));
    if (!moved.ok) return moved.problem.code;
    const all = Array.from(walkTasks(moved.tree), ({ path, task }) => `${'.'.repeat(path.length - 1)}${task.name}`);
    return `${all.join(' ')} | ${idOf(moved.path)} | ${markers(moved)}`;
  };
  const MOVES: readonly (readonly [what: string, id: string, place: Place, shape: string])[] = [
    ['up among its siblings', '2', { before: '1' }, 'b .b1 a .a1 .a2 c .c1 .c2 | 1 |    x // '],
    ['down among its siblings', '1', { before: '3' }, 'b .b1 a .a1 .a2 c .c1 .c2 | 2 |    x // '],
    ['to the end', '1', { under: '' }, 'b .b1 c .c1 .c2 a .a1 .a2 | 3 |   //  x '],
    ['before itself', '2', { before: '2' }, 'a .a1 .a2 b .b1 c .c1 .c2 | 2 |  x   // '],
    ['below another one', '2.1', { under: '1' }, 'a .a1 .a2 .b1 b c .c1 .c2 | 1.3 |  x   // '],
    [
      'from a parent that only has finished tasks left, which completes it',
      '1.2',
      { under: '2' },
      'a .a1 b .b1 .a2 c .c1 .c2 | 2.2 | xx   // ',
    ],
    [
      'the same, when its old parent moves down by that',
      '1.2',
      { before: '1' },
      'a2 a .a1 b .b1 c .c1 .c2 | 1 |  xx  // ',
    ],
    ['among its siblings, while it is worked on', '3.1', { under: '3' }, 'a .a1 .a2 b .b1 c .c2 .c1 | 3.2 |  x   / /'],
    ['elsewhere, while it is worked on', '3.1', { under: '' }, 'tasks_parent_not_active'],
    ['elsewhere, while a task below it is worked on', '3', { under: '1' }, 'tasks_parent_not_active'],
    ['below itself', '1', { under: '1.1' }, 'stale_id'],
    ['before a task below itself', '1', { before: '1.2' }, 'stale_id'],
    ['below a finished one', '2', { under: '1.1' }, 'tasks_unfinished_child'],
    ['from a place where there is none', '7', { under: '' }, 'stale_id'],
  ];
  test.each(MOVES)('%s', (_what, id, place, expected) => expect(shape(id, place)).toBe(expected));

  test('keeps every task, and leads to the moved one', () => {
    const places = ['1', '1.1', '1.2', '2', '2.1', '3', '3.1', '3.2'];
    const { tree } = treeOf(TREE);
    const names = (one: TaskTree): readonly string[] => Array.from(walkTasks(one), ({ task }) => task.name).toSorted();
    let count = 0;
    for (const from of places)
      for (const to of places) {
        const moved = moveTask(tree, pathOf(from), { before: pathOf(to) });
        if (!moved.ok) continue;
        count += 1;
        expect(names(moved.tree)).toEqual(names(tree));
        expect(taskAt(moved.tree, moved.path)?.task.name).toBe(taskAt(tree, pathOf(from))?.task.name);
      }
    expect(count).toBe(50);
  });
});
