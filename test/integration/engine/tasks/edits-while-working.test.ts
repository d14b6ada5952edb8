import { afterEach, describe, expect, test } from 'vitest';
import { fileCalls } from '#io/files/file-calls.ts';
import { isOfStep } from '#io/process/is-of-step.ts';
import type { TaskKeeper } from '#engine/tasks/task-keeper.ts';
import type { JsonObject } from '#protocol/json.ts';
import { picked, RUN, type TaskFolder, taskFolder } from './task-folder.ts';

let at: TaskFolder;
afterEach(() => at.remove());

const warnings: string[] = [];

/** Returns the task keeper of an engine that works on the first task. */
async function working(status: string): Promise<TaskKeeper> {
  warnings.length = 0;
  at = taskFolder({ 'status.md': status });
  const keeper = at.keeper(fileCalls, (message) => void warnings.push(message));
  await keeper.begin(await picked(keeper), RUN);
  return keeper;
}

const asked = async (keeper: TaskKeeper, edit: JsonObject): Promise<unknown> => (await keeper.editFor(edit)).result;

const ended = async (keeper: TaskKeeper): Promise<readonly unknown[]> => {
  const task = await picked(keeper);
  const problems = await keeper.changedMeanwhile();
  if (problems.length === 0) await keeper.settle(task, 'completed');
  return problems;
};

describe('an edit for another process while a task is worked on', () => {
  test('is checked and answered at once, and made when the task ends', async () => {
    const keeper = await working('- [ ] A\n- [ ] B\n');
    expect(await asked(keeper, { kind: 'add', name: 'C' })).toMatchObject({
      queued: true,
      edited: { ok: true, task: { id: '3', name: 'C', status: 'pending' } },
    });
    expect(at.read('status.md')).toBe('- [/] A\n- [ ] B\n');
    expect(await ended(keeper)).toEqual([]);
    expect(at.read('status.md')).toBe('- [x] A\n- [ ] B\n- [ ] C\n');
    expect(warnings).toEqual([]);
  });

  test('that does not fit is refused at once', async () => {
    const keeper = await working('- [ ] A\n');
    expect(await asked(keeper, { kind: 'set', task: { id: '9' }, status: 'done' })).toMatchObject({
      edited: { ok: false, problems: [{ code: 'stale_id' }] },
    });
    await ended(keeper);
    expect(at.read('status.md')).toBe('- [x] A\n');
  });

  test('means the task that had this id when it was asked for, or none', async () => {
    const keeper = await working('- [ ] A\n- [ ] B\n- [ ] C\n');
    await asked(keeper, { kind: 'add', name: 'new', before: { id: '2' } });
    await asked(keeper, { kind: 'remove', task: { id: '2' } });
    await ended(keeper);
    expect(at.read('status.md')).toBe('- [x] A\n- [ ] new\n- [ ] B\n- [ ] C\n');
    expect(warnings).toEqual([expect.stringContaining('The plan was not edited (remove 2)')]);
  });

  test('moves a task when the current one ends', async () => {
    const keeper = await working('- [ ] A\n- [ ] B\n- [ ] C\n');
    expect(await asked(keeper, { kind: 'move', task: { id: '3' }, before: { id: '2' } })).toMatchObject({
      queued: true,
    });
    await ended(keeper);
    expect(at.read('status.md')).toBe('- [x] A\n- [ ] C\n- [ ] B\n');
  });

  test('zooms in when the task ends', async () => {
    const keeper = await working('- [ ] A\n- [ ] B\n    - [ ] b\n');
    expect(await asked(keeper, { kind: 'zoom_in', task: { id: '2' } })).toMatchObject({ queued: true });
    await ended(keeper);
    expect(await keeper.list()).toMatchObject({ ok: true, listing: { scope: ['sub_flows/task_2.md'] } });
  });

  test('is dropped, and told, when the task itself has changed the plan', async () => {
    const keeper = await working('- [ ] A\n');
    await asked(keeper, { kind: 'add', name: 'C' });
    at.write('status.md', '- [/] A\n- [ ] Deploy\n');
    expect(await ended(keeper)).toMatchObject([{ code: 'tasks_changed', file: 'status.md' }]);
    expect(at.read('status.md')).toBe('- [/] A\n- [ ] Deploy\n');
    expect(warnings).toEqual(['The plan was not edited (add "C"), because a task has changed it.']);
  });
});

test('between tasks an edit for another process is made at once', async () => {
  at = taskFolder({ 'status.md': '- [ ] A\n' });
  expect(await asked(at.keeper(), { kind: 'add', name: 'B' })).toMatchObject({ queued: false, edited: { ok: true } });
  expect(at.read('status.md')).toBe('- [ ] A\n- [ ] B\n');
});

test.each([
  { kind: 'nope' },
  { kind: 'add' },
  { kind: 'set', task: 1 },
  { kind: 'add', name: 'x', under: 'A' },
  { kind: 'move', task: { id: '1' } },
])('a request that is no edit is refused: %j', async (edit) => {
  at = taskFolder({ 'status.md': '- [ ] A\n' });
  expect(await at.keeper().editFor(edit)).toMatchObject({ accepted: false });
  expect(at.read('status.md')).toBe('- [ ] A\n');
});

test.skipIf(process.platform !== 'linux')(
  'a process that is no command for the plan, or none at all, may not ask',
  () => {
    at = taskFolder({});
    expect(isOfStep(1)).toBe(true);
    expect(isOfStep(999_999_999)).toBe(true);
    expect(isOfStep(1, 'darwin')).toBe(false);
  },
);
