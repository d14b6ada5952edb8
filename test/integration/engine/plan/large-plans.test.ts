import { afterEach, describe, expect, test } from 'vitest';
import { printTasks } from '#cli/print/tasks.ts';
import { projectTasks } from '#engine/plan/task-keeper.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { treeOf } from '../../../unit/logic/plan/tree-of.ts';
import { type TaskFolder, taskFolder } from './task-folder.ts';

let at: TaskFolder;
afterEach(() => at.remove());

const MANY = 250_000;

describe('a plan of some megabytes', () => {
  test.each([
    ['lines that are no tasks', '- bad line of text\n', 'tasks_missing_marker'],
    ['tasks of one name', '- [ ] the same name\n', 'tasks_duplicate_name'],
  ])('of %s: the first problems, and how many there are', async (_what, line, code) => {
    at = taskFolder({ 'status.md': `- [ ] the same name\n${line.repeat(MANY)}` });
    const listed = await projectTasks(at.root);
    if (listed.ok) throw new Error('it is taken');
    const { problems } = listed;
    expect([problems.length, new Set(problems.map((one) => one.code))]).toEqual([1_001, new Set([code])]);
    expect(problems.at(-1)?.line).toBe(1_002);
    expect(problems.at(-1)?.message).toMatch(
      /; this is the first of 249000 more problems in this file: fix those above first$/,
    );
  });

  test('of notes is saved', async () => {
    const notes = `\`\`\`\n${'a line of a log here\n'.repeat(MANY)}\`\`\`\n`;
    at = taskFolder({ 'status.md': `- [ ] A\n${notes}` });
    expect((await at.keeper().edit({ kind: 'add', name: 'B' })).ok).toBe(true);
    expect(at.read('status.md') === `- [ ] A\n${notes}- [ ] B\n`).toBe(true);
  });

  test('of tasks is shown', async () => {
    const tasks = Array.from({ length: MANY }, (_, index) => `- [ ] task number ${index}\n`);
    at = taskFolder({ 'status.md': tasks.join('') });
    const listed = await projectTasks(at.root);
    if (!listed.ok) throw new Error('it is refused');
    const io = fakeIo();
    printTasks(listed.listing, io);
    expect(io.out().split('\n').slice(-3)).toEqual([
      '250000   [ ] task number 249999',
      '250000 tasks: 250000 pending',
      '',
    ]);
  });

  test.each([
    ['blanks within a name', `- [ ] a${' '.repeat(MANY)}b`],
    ['carriage returns within a name', `- [ ] a${'\r'.repeat(MANY)}b\r`],
    ['backticks that open no code block', `- [ ] a\n${'`'.repeat(MANY)}${'x'.repeat(MANY)}\``],
    ['comments', `- [ ] a${'<!--x-->'.repeat(MANY)}`],
    // Quadratic time would take minutes.
  ])('of one long line of %s is read in linear time', { timeout: 60_000 }, (_what, text) => {
    at = taskFolder({ 'status.md': '' });
    expect(treeOf(text).problems).toEqual([]);
  });
});
