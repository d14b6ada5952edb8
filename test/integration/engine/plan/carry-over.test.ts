import { afterEach, describe, expect, test } from 'vitest';
import { fileCalls } from '#io/files/file-calls.ts';
import { picked, RUN, type TaskFolder, taskFolder } from './task-folder.ts';

let at: TaskFolder;
afterEach(() => at.remove());

const FLOW = '<!-- type: flow, node: N -->';
const PLAN = `- [ ] A\n    - [ ] a1 ${FLOW}\n    - [ ] a2\n- [ ] B\n`;

describe('a task that gets another file', () => {
  test('keeps its run and its failures', async () => {
    at = taskFolder({ 'status.md': PLAN });
    const keeper = at.keeper();
    const task = await picked(keeper);
    expect((await keeper.begin(task, RUN)).kind).toBe('begun');
    await keeper.settle(task, 'failed');
    expect((await keeper.edit({ kind: 'zoom_in', task: { id: '1' } })).ok).toBe(true);
    expect(at.read('status.md')).toBe('- [/] A @ sub_flows/task_1.md\n- [ ] B\n');
    const record = { run: RUN, counted: true, failures: 1 };
    expect(await picked(keeper)).toMatchObject({ key: 'sub_flows/task_1.md#a1', record });
    expect(JSON.parse(at.read('status.meta'))).toMatchObject({ tasks: { 'sub_flows/task_1.md#a1': record } });
  });

  test('keeps its crashes: the next engine counts on', async () => {
    at = taskFolder({ 'status.md': PLAN });
    const crashed = at.keeper();
    await crashed.begin(await picked(crashed), RUN);
    const next = at.keeper();
    expect((await next.edit({ kind: 'zoom_in', task: { id: '1' } })).ok).toBe(true);
    const task = await picked(next);
    await next.begin(task, RUN);
    expect(JSON.parse(at.read('intent.lock'))).toMatchObject({
      tasks: [{ task_id: 'sub_flows/task_1.md#a1', attempt_n: 2 }],
    });
  });

  test('keeps them when the disk fails in the middle', async () => {
    at = taskFolder({ 'status.md': PLAN });
    const crashed = at.keeper();
    await crashed.begin(await picked(crashed), RUN);
    const full = at.keeper({
      ...fileCalls,
      rename: (from, to) => {
        if (to.endsWith('status.md')) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
        fileCalls.rename(from, to);
      },
    });
    await expect(full.edit({ kind: 'zoom_in', task: { id: '1' } })).rejects.toThrow('the disk is full');
    const next = at.keeper();
    const task = await picked(next);
    expect(task).toMatchObject({ key: 'status.md#A/a1', record: { run: RUN } });
    await next.begin(task, RUN);
    expect(JSON.parse(at.read('intent.lock'))).toMatchObject({ tasks: [{ task_id: 'status.md#A/a1', attempt_n: 2 }] });
  });

  test('what has its own file below it already is known as before', async () => {
    at = taskFolder({ 'status.md': '- [ ] A\n    - [ ] a1 @ s.md\n', 's.md': `- [ ] x ${FLOW}\n` });
    const keeper = at.keeper();
    await keeper.begin(await picked(keeper), RUN);
    await keeper.edit({ kind: 'zoom_in', task: { id: '1' } });
    expect(await picked(keeper)).toMatchObject({ key: 's.md#x', record: { run: RUN } });
  });
});
