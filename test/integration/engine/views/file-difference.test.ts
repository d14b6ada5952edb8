import { symlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileDifference, readHunks } from '#engine/views/file-difference.ts';
import { newRepository, type Repository } from '../../../support/git-repository.ts';

let at: Repository;
let worktree: string;
beforeEach(async () => {
  at = await newRepository();
  worktree = at.linkedWorktree('tree', 'robosmith/work');
});
afterEach(() => at.end());

const session = (tree: string | null) => ({
  state: 'ready' as const,
  worktree: tree,
  branch: 'robosmith/work',
  baseBranch: 'main',
  base: { commit: at.git(['rev-parse', 'main']), branch: 'main' },
});
const differenceOf = (path: string, tree: string | null = worktree) => fileDifference(session(tree), at.root, path);

test('what is committed, changed since, and not tracked is compared with the base', async () => {
  at.put('a.txt', 'committed\n', worktree);
  at.commit('One', worktree);
  at.put('a.txt', 'committed\nand changed\n', worktree);
  at.put('new file [x].txt', 'one\ntwo', worktree);
  const a = await differenceOf('a.txt');
  expect(a?.hunks.flatMap(({ lines }) => lines).filter((line) => line.startsWith('+'))).toEqual([
    '+committed',
    '+and changed',
  ]);
  expect(await differenceOf('new file [x].txt')).toEqual({
    path: 'new file [x].txt',
    from: null,
    omitted: 0,
    isBinary: false,
    hunks: [{ before: 0, after: 1, lines: ['+one', '+two', '\\ No newline at end of file'] }],
  });
});

test('a branch without a worktree is compared by its commits', async () => {
  at.put('a.txt', 'committed\n', worktree);
  at.commit('One', worktree);
  const found = await differenceOf('a.txt', null);
  expect(found?.hunks.flatMap(({ lines }) => lines)).toContain('+committed');
});

test('a renamed file names its old path', async () => {
  const text = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
  at.put('old.txt', text);
  at.commit('Long file');
  at.git(['rebase', '--quiet', 'main'], worktree);
  at.git(['mv', 'old.txt', 'new.txt'], worktree);
  at.put('new.txt', `${text}last\n`, worktree);
  at.git(['add', '--all'], worktree);
  const found = await differenceOf('new.txt');
  expect(found?.from).toBe('old.txt');
  expect(found?.hunks.flatMap(({ lines }) => lines).filter((line) => !line.startsWith(' '))).toEqual(['+last']);
});

test('a path that the session has not changed is not read, wherever it leads', async () => {
  at.put('outside.txt', 'secret\n', at.base);
  symlinkSync(at.at('outside.txt'), `${worktree}/link`);
  for (const path of ['../outside.txt', at.at('outside.txt'), 'a.txt', ':/', '*', '']) {
    expect(await differenceOf(path), path).toBeNull();
  }
  const link = await differenceOf('link');
  expect(link?.hunks.flatMap(({ lines }) => lines).join('\n')).not.toContain('secret');
});

test('binary files and very long ones are shown as such', async () => {
  at.put('image.bin', new Uint8Array([0, 1, 2, 0, 255]), worktree);
  at.put('long.txt', `${'x'.repeat(100_000)}\n${'y\n'.repeat(5_000)}`, worktree);
  expect(await differenceOf('image.bin')).toMatchObject({ isBinary: true, hunks: [] });
  const long = await differenceOf('long.txt');
  expect(long?.omitted).toBe(2_001);
  expect(long?.hunks[0]?.lines[0]).toHaveLength(2_001);
});

test('a line that looks like a header belongs to its hunk', () => {
  const text = ['--- a/x', '+++ b/x', '@@ -1,2 +1,2 @@', '---- x', '++++ y', ' z', ''].join('\n');
  expect(readHunks(text).hunks).toEqual([{ before: 1, after: 1, lines: ['---- x', '++++ y', ' z'] }]);
});
