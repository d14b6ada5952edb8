import { chmodSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { fileCalls } from '#io/files/file-calls.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { type TaskFolder, taskFolder } from './task-folder.ts';

let at: TaskFolder;
afterEach(() => at.remove());

/** Returns file calls that simulate a person who saves right after the engine has first replaced this file. */
const savingAfter = (replaced: string, save: () => void): FileCalls => {
  let isDone = false;
  return {
    ...fileCalls,
    rename: (from, to) => {
      fileCalls.rename(from, to);
      if (isDone || !to.endsWith(replaced)) return;
      isDone = true;
      save();
    },
  };
};

describe('what a person saves while the engine saves', () => {
  test('is taken along', async () => {
    at = taskFolder({ 'status.md': '- [ ] A\n' });
    const keeper = at.keeper(savingAfter('status.meta', () => at.write('status.md', '- [ ] A\n- [ ] typed\n')));
    expect((await keeper.edit({ kind: 'add', name: 'C' })).ok).toBe(true);
    expect(at.read('status.md')).toBe('- [ ] A\n- [ ] typed\n- [ ] C\n');
    expect(at.backups('status.md')).toContain('- [ ] A\n- [ ] typed\n');
  });

  test('in the second file: the first is as if nothing had been begun', async () => {
    at = taskFolder({ 'status.md': '- [X] A\n- [ ] B @ s.md\n', 's.md': '- [ ] b\n' });
    const typed = '- [ ] A\n- [ ] B @ s.md\n- [ ] typed\n';
    const keeper = at.keeper(savingAfter('s.md', () => at.write('status.md', typed)));
    expect((await keeper.edit({ kind: 'add', name: 'C', under: { id: '2' } })).ok).toBe(true);
    expect([at.read('status.md'), at.read('s.md')]).toEqual([typed, '- [ ] b\n- [ ] C\n']);
  });

  test('with a mistake: nothing of it is overwritten, and nothing is left behind', async () => {
    at = taskFolder({ 'status.md': '- [ ] A\n    - [ ] a\n' });
    const typed = '- [ ] A\n- nonsense\n';
    const keeper = at.keeper(savingAfter('task_1.md', () => at.write('status.md', typed)));
    expect(await keeper.edit({ kind: 'zoom_in', task: { id: '1' } })).toMatchObject({
      ok: false,
      problems: [{ code: 'tasks_missing_marker' }],
    });
    expect([at.read('status.md'), at.isThere('sub_flows/task_1.md')]).toEqual([typed, false]);
    at.write('status.md', '- [ ] A\n');
    expect(await keeper.list()).toMatchObject({ ok: true, listing: { notices: { changed: [] } } });
  });
});

describe.skipIf(process.platform === 'win32')('who may read and write a plan', () => {
  test.each([0o600, 0o644, 0o664])('stays as a person has set it: %o', async (mode) => {
    at = taskFolder({ 'status.md': '- [ ] A @ s.md\n', 's.md': '- [ ] a\n' });
    const files = ['status.md', 's.md'].map((file) => path.join(at.root, '.flow', file));
    for (const file of files) chmodSync(file, mode);
    const keeper = at.keeper();
    expect((await keeper.edit({ kind: 'set', task: { id: '1.1' }, status: 'done' })).ok).toBe(true);
    expect([at.read('status.md'), at.read('s.md')]).toEqual(['- [x] A @ s.md\n', '- [x] a\n']);
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([mode, mode]);
  });
});
