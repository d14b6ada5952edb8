import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCopier, removeWatchFolder } from '#io/git/guard/copier.ts';
import { entriesBelow } from '#io/git/guard/entries.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

let base = '';
const at = (...names: readonly string[]): string => path.join(base, ...names);

beforeEach(async () => {
  base = await newFolder();
  mkdirSync(at('work'));
  for (const name of ['a', 'b', 'c']) writeFileSync(at('work', name), `${name}\n`);
});
afterEach(() => removeFolder(base));

test('a file that has become a pipe or a link since it was listed is not copied, and not waited for', async () => {
  const entries = await entriesBelow(at('work'), () => false);
  rmSync(at('work', 'a'));
  execFileSync('mkfifo', [at('work', 'a')]);
  rmSync(at('work', 'b'));
  symlinkSync('c', at('work', 'b'));
  const kept = await createCopier(at('home')).keep(at('work'), entries, () => true);
  expect([...kept.copies.keys()]).toEqual(['c']);
  expect(readdirSync(at('home', 'files')).map((name) => readFileSync(at('home', 'files', name), 'utf8'))).toEqual([
    'c\n',
  ]);
});

test('nothing is written through a link that an agent has put in the place of a copy', async () => {
  mkdirSync(at('home', 'files'), { recursive: true });
  writeFileSync(at('mine'), 'mine\n');
  symlinkSync(at('mine'), at('home', 'files', '1'));
  const entries = await entriesBelow(at('work'), () => false);
  const kept = await createCopier(at('home')).keep(at('work'), entries, () => true);
  expect([kept.copies.size, readFileSync(at('mine'), 'utf8')]).toEqual([2, 'mine\n']);
});

test('a folder is removed with its copies, but not what a link in its place leads to', async () => {
  await createCopier(at('home')).keep(at('work'), await entriesBelow(at('work'), () => false), () => true);
  mkdirSync(at('home', 'files', 'x'));
  await removeWatchFolder(at('home'));
  expect(existsSync(at('home'))).toBe(false);
  mkdirSync(at('mine'));
  writeFileSync(at('mine', '1'), 'mine\n');
  mkdirSync(at('home'));
  symlinkSync(at('mine'), at('home', 'files'));
  await removeWatchFolder(at('home'));
  expect([existsSync(at('home')), readFileSync(at('mine', '1'), 'utf8')]).toEqual([false, 'mine\n']);
  await removeWatchFolder(at('home'));
});
