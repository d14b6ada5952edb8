import { afterEach, describe, expect, test } from 'vitest';
import { fileCalls } from '#io/files/file-calls.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { type TaskFolder, taskFolder } from './task-folder.ts';

let at: TaskFolder;
afterEach(() => at.remove());

describe('restoring', () => {
  test('what a person has written, and was accepted', async () => {
    verifies('tasks.saving.accept-or-restore');
    at = taskFolder({ 'status.md': '- [ ] A @ s.md\n- [ ] B\n', 's.md': '- [ ] a\n' });
    const store = at.store();
    expect((await store.accept()).ok).toBe(true);
    at.write('status.md', '- [ ] hand\n');
    at.write('s.md', '- [ ] too\n');
    expect(await store.restore()).toEqual(['status.md', 's.md']);
    expect([at.read('status.md'), at.read('s.md')]).toEqual(['- [ ] A @ s.md\n- [ ] B\n', '- [ ] a\n']);
    expect([...at.backups('status.md'), ...at.backups('s.md')]).toEqual(
      expect.arrayContaining(['- [ ] hand\n', '- [ ] too\n']),
    );
  });

  test('leaves a file alone that nobody has touched, though nothing refers to it any more', async () => {
    at = taskFolder({ 'status.md': '- [ ] A @ s.md\n', 's.md': '- [ ] a\n' });
    const store = at.store();
    await store.accept();
    at.write('status.md', '- [ ] A\n');
    expect((await store.load()).changed).toEqual(['status.md']);
    expect(await store.restore()).toEqual(['status.md']);
    expect((await store.load()).changed).toEqual([]);
    at.write('status.md', '- [ ] A\n');
    at.write('s.md', '- [ ] changed\n');
    expect((await store.load()).changed).toEqual(['status.md', 's.md']);
  });

  test('nothing, where one of them can not be', async () => {
    at = taskFolder({ 'status.md': '- [ ] A @ s.md\n', 's.md': '- [ ] a\n' });
    const store = at.store();
    await store.accept();
    const meta = at.read('status.meta');
    const entry = /"s\.md": \{\s*"sha256": "([0-9a-f]{64})"/.exec(meta)?.[1] ?? '';
    at.write('status.meta', meta.replace(entry, '0'.repeat(64)));
    at.write('status.md', '- [ ] hand\n');
    expect(await store.restore()).toMatchObject({ code: 'tasks_no_backup', file: 's.md' });
    expect(at.read('status.md')).toBe('- [ ] hand\n');
  });

  test('keeps what a person saves meanwhile', async () => {
    at = taskFolder({ 'status.md': '- [ ] A\n' });
    await at.store().accept();
    at.write('status.md', '- [ ] hand\n');
    let isDone = false;
    const store = at.store({
      ...fileCalls,
      link: (from, to) => {
        fileCalls.link(from, to);
        if (!isDone) at.write('status.md', '- [ ] once more\n');
        isDone = true;
      },
    });
    expect(await store.restore()).toEqual(['status.md']);
    expect(at.read('status.md')).toBe('- [ ] A\n');
    expect(at.backups('status.md')).toEqual(['- [ ] A\n', '- [ ] hand\n', '- [ ] once more\n']);
  });
});

test('a version that has come back is not the first whose backup goes', async () => {
  at = taskFolder({ 'status.md': '- [ ] A\n' });
  const keeper = at.keeper();
  await keeper.edit({ kind: 'add', name: 'B' });
  for (let number = 3; number <= 100; number += 1)
    at.write(`backups/status.md.${String(number).padStart(6, '0')}.${String(number).padStart(16, '0')}`, '');
  await keeper.edit({ kind: 'remove', task: { id: '2' } });
  for (const typed of ['- [ ] P\n', '- [ ] Q\n']) {
    at.write('status.md', typed);
    expect([await keeper.restore(), at.read('status.md')]).toEqual([['status.md'], '- [ ] A\n']);
    expect(at.backups('status.md').length).toBe(100);
  }
});
