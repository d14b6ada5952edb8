import { afterEach, describe, expect, test } from 'vitest';
import { picked, RUN, type TaskFolder, taskFolder } from './task-folder.ts';

let at: TaskFolder;
afterEach(() => at.remove());

describe('a task that a person closes', () => {
  test('before its run begins is not begun', async () => {
    at = taskFolder({ 'status.md': '- [ ] a\n- [ ] b\n' });
    const keeper = at.keeper();
    const task = await picked(keeper);
    at.write('status.md', '- [x] a\n- [ ] b\n');
    expect(await keeper.begin(task, RUN)).toMatchObject({ kind: 'problems', problems: [{ code: 'stale_id' }] });
    expect(at.read('status.md')).toBe('- [x] a\n- [ ] b\n');
    expect((await picked(keeper)).name).toBe('b');
  });

  test.each([
    ['failed', ' '],
    ['completed', 'x'],
  ] as const)('with the one above it stays closed when its run has %s', async (outcome, marker) => {
    at = taskFolder({ 'status.md': '- [ ] A\n    - [ ] a\n- [ ] b\n' });
    const keeper = at.keeper();
    const task = await picked(keeper);
    await keeper.begin(task, RUN);
    at.write('status.md', '- [-] A\n    - [ ] a\n- [ ] b\n');
    expect(await keeper.settle(task, outcome)).toMatchObject({ ok: true });
    expect(at.read('status.md')).toBe(`- [-] A\n    - [${marker}] a\n- [ ] b\n`);
    expect((await picked(keeper)).name).toBe('b');
  });
});
