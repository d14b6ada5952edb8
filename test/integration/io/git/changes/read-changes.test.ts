import { readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RangeChanges, readChanges } from '#io/git/changes/read-changes.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';

let at: Repository;
beforeEach(async () => {
  at = await newRepository();
});
afterEach(() => at.end());

async function changes(paths: readonly string[] = [], head: string | null = null): Promise<RangeChanges> {
  const read = await readChanges(
    realGit,
    { directory: at.root, since: at.git(['rev-parse', 'main']), head },
    { paths, patch: true },
  );
  if ('kind' in read) throw new Error(read.message);
  return read;
}

test('staged, unstaged and new files are one diff that git applies elsewhere; nothing of the repository changes', async () => {
  at.git(['switch', '--quiet', '--create', 'work']);
  at.put('a.txt', 'committed\n');
  at.commit('One');
  at.put('a.txt', 'committed\nchanged\n');
  at.put('staged.txt', 'staged\n');
  at.git(['add', 'staged.txt']);
  at.put('-new [x]*.txt', 'new\n');
  at.put('with\nline feed\t.txt', 'odd');
  const before = at.git(['status', '--porcelain', '-z']);
  const { files, patch } = await changes();
  expect(files.map(({ path, change, added, deleted }) => [path, change, added, deleted])).toEqual([
    ['-new [x]*.txt', 'added', 1, 0],
    ['a.txt', 'modified', 2, 1],
    ['staged.txt', 'added', 1, 0],
    ['with\nline feed\t.txt', 'added', 1, 0],
  ]);
  expect(at.git(['status', '--porcelain', '-z'])).toBe(before);
  const other = at.linkedWorktree('other', 'other');
  at.git(['reset', '--quiet', '--hard', 'main'], other);
  at.put('../the.patch', patch ?? '', other);
  at.git(['apply', '../the.patch'], other);
  const read = (name: string): string => readFileSync(path.join(other, name), 'utf8');
  expect(read('a.txt')).toBe('committed\nchanged\n');
  expect(read('with\nline feed\t.txt')).toBe('odd');
});

test('an unstaged move is a rename, and a named file brings its old name along', async () => {
  const text = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
  at.put('old.txt', text);
  at.commit('Long');
  const since = at.git(['rev-parse', 'main']);
  at.git(['rm', '--quiet', 'old.txt']);
  at.put('sub/new.txt', `${text}last\n`);
  at.put('a.txt', 'other\n');
  const read = await readChanges(realGit, { directory: at.root, since, head: null }, { paths: ['sub'], patch: true });
  expect(read).toMatchObject({
    files: [{ path: 'sub/new.txt', change: 'renamed', from: 'old.txt', added: 1, deleted: 0 }],
  });
  expect((read as RangeChanges).patch).toContain('rename from old.txt');
  expect((read as RangeChanges).patch).not.toContain('a.txt');
});

test('settings of the user change nothing in it', async () => {
  at.put('a.txt', 'changed\n');
  const { patch } = await changes();
  for (const [name, value] of [
    ['diff.noprefix', 'true'],
    ['diff.mnemonicPrefix', 'true'],
    ['diff.external', 'false'],
    ['diff.algorithm', 'patience'],
    ['diff.context', '0'],
    ['diff.orderFile', '/nowhere'],
    ['color.diff', 'always'],
    ['core.abbrev', '40'],
    ['core.quotePath', 'false'],
  ] as const)
    at.git(['config', name, value]);
  expect((await changes()).patch).toBe(patch);
});

test('large and binary files are only named, and a nested repository and our own state are left out', async () => {
  at.put('large.txt', 'x\n'.repeat(3_000_000));
  at.put('binary.dat', new Uint8Array([0, 1, 2]));
  at.put('.robo/session.json', '{}');
  at.put('nested/file.txt', 'x');
  at.git(['init', '--quiet'], path.join(at.root, 'nested'));
  if (process.platform !== 'win32') symlinkSync('/etc/passwd', path.join(at.root, 'link'));
  const { files, patch } = await changes();
  expect(files.map(({ path }) => path)).toEqual(
    ['binary.dat', 'large.txt', ...(process.platform === 'win32' ? [] : ['link'])].toSorted(),
  );
  expect(patch).toContain('Binary files /dev/null and b/large.txt differ');
  expect(patch?.length).toBeLessThan(2_000);
  // The content of a symbolic link is its target path. The target itself is not read.
  if (process.platform !== 'win32') expect(patch).toContain('\n+/etc/passwd\n');
});

test('between two commits, the files of the directory do not count', async () => {
  const since = at.git(['rev-parse', 'main']);
  at.put('a.txt', 'committed\n');
  const head = at.commit('One');
  at.put('a.txt', 'changed\n');
  at.put('new.txt', 'new\n');
  const read = await readChanges(realGit, { directory: at.root, since, head }, { paths: [], patch: true });
  expect(read).toMatchObject({ files: [{ path: 'a.txt', added: 1, deleted: 1 }] });
  expect((read as RangeChanges).patch).toContain('+committed\n');
});
