import { afterEach, describe, expect, test } from 'vitest';
import { isOfStep } from '#io/process/is-of-step.ts';
import type { TaskKeeper } from '#engine/plan/task-keeper.ts';
import { picked, RUN, type TaskFolder, taskFolder } from './task-folder.ts';

let at: TaskFolder;
afterEach(() => at.remove());

/** Returns the task keeper of an engine that works on the first task. */
async function working(status: string): Promise<TaskKeeper> {
  at = taskFolder({ 'status.md': status });
  const keeper = at.keeper();
  await keeper.begin(await picked(keeper), RUN);
  return keeper;
}

const ended = async (keeper: TaskKeeper): Promise<readonly unknown[]> => {
  const task = await picked(keeper);
  const problems = await keeper.changedMeanwhile();
  if (problems.length === 0) await keeper.settle(task, 'completed');
  return problems;
};

describe('an edit while a task is worked on', () => {
  test('is made at once, and is no change by the task', async () => {
    const keeper = await working('- [ ] A\n- [ ] B\n- [ ] C\n');
    expect(await keeper.edit({ kind: 'add', name: 'D' })).toMatchObject({ ok: true, task: { id: '4', name: 'D' } });
    expect(await keeper.edit({ kind: 'move', task: { id: '3' }, before: { id: '2' } })).toMatchObject({ ok: true });
    expect(at.read('status.md')).toBe('- [/] A\n- [ ] C\n- [ ] B\n- [ ] D\n');
    expect(await ended(keeper)).toEqual([]);
    expect(at.read('status.md')).toBe('- [x] A\n- [ ] C\n- [ ] B\n- [ ] D\n');
  });

  test('zooms into another task', async () => {
    const keeper = await working('- [ ] A\n- [ ] B\n    - [ ] b\n');
    expect(await keeper.edit({ kind: 'zoom_in', task: { id: '2' } })).toMatchObject({ ok: true });
    expect(await keeper.changedMeanwhile()).toEqual([]);
    expect(await keeper.list()).toMatchObject({ ok: true, listing: { scope: ['sub_flows/task_2.md'] } });
  });

  test.each([
    { kind: 'remove', task: { id: '1.1' } },
    { kind: 'remove', task: { id: '1' } },
    { kind: 'zoom_in', task: { id: '1' } },
  ] as const)('is refused if it would move or remove that task: %j', async (edit) => {
    const keeper = await working('- [ ] A\n    - [ ] a\n    - [ ] b\n');
    const before = at.read('status.md');
    expect(await keeper.edit(edit)).toMatchObject({ ok: false, problems: [{ code: 'tasks_blocked' }] });
    expect(at.read('status.md')).toBe(before);
    expect(await ended(keeper)).toEqual([]);
  });

  test('is refused once the task has changed the plan, and accepts nothing of that', async () => {
    const keeper = await working('- [ ] A\n');
    await keeper.edit({ kind: 'add', name: 'B' });
    at.write('status.md', '- [/] A\n- [ ] B\n- [ ] Deploy\n');
    expect(await keeper.edit({ kind: 'add', name: 'C' })).toMatchObject({
      ok: false,
      problems: [{ code: 'tasks_changed', file: 'status.md' }],
    });
    expect(await ended(keeper)).toMatchObject([{ code: 'tasks_changed', file: 'status.md' }]);
    expect(at.read('status.md')).toBe('- [/] A\n- [ ] B\n- [ ] Deploy\n');
  });

  test('survives the process: nothing waits in its memory', async () => {
    const keeper = await working('- [ ] A\n');
    await keeper.edit({ kind: 'add', name: 'B' });
    expect(await at.keeper().list()).toMatchObject({ ok: true, listing: { tasks: [{ name: 'A' }, { name: 'B' }] } });
  });
});

test.skipIf(process.platform !== 'linux')(
  'a process that is no command for the plan, or none at all, may not edit',
  () => {
    at = taskFolder({ 'status.md': '- [ ] A\n' });
    expect(() => at.keeper().checkEditor(1)).toThrow("can't edit the work plan");
    expect(isOfStep(999_999_999)).toBe(true);
    expect(isOfStep(1, 'darwin')).toBe(false);
  },
);
