import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { markSetUp } from '#io/git/guard/set-up-files.ts';
import { createWorktreeGuard } from '#io/git/guard/worktree-guard.ts';
import type { WorktreeGuard } from '#protocol/agent.ts';
import { accessCheck } from '#workers/index.ts';
import { realGit } from '../../../../support/git-repository.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

/** A worktree whose set-up has filled `node_modules`, which git ignores. */
let base = '';
let root = '';
let guard: WorktreeGuard;
const at = (name: string): string => path.join(root, name);
const module = (number: number): string => `node_modules/m${String(number % 20)}/${String(number)}.js`;

/** Resolves once the clock of the file system has moved on: times of files are only as exact as its ticks. */
async function nextTick(): Promise<void> {
  const tick = path.join(base, 'tick');
  const changed = (): number => {
    writeFileSync(tick, '');
    return statSync(tick).ctimeMs;
  };
  const now = changed();
  while (changed() === now) await setImmediate();
}

beforeEach(async () => {
  base = await newFolder();
  root = path.join(base, 'work');
  mkdirSync(root);
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  writeFileSync(at('.gitignore'), 'node_modules/\n');
  git('add', '-A');
  git('-c', 'user.name=n', '-c', 'user.email=n@example.org', 'commit', '-qm', 'one');
  for (let number = 0; number < 600; number += 1) {
    mkdirSync(path.dirname(at(module(number))), { recursive: true });
    writeFileSync(at(module(number)), `module ${String(number)}\n`);
  }
  await markSetUp(root);
  await nextTick();
  guard = createWorktreeGuard({
    folder: path.join(base, '.flow'),
    git: realGit,
    newId: () => 'abcdef',
    allows: (access, ignoresCase) => {
      const check = accessCheck(access, 'program', ignoresCase);
      return (name) => check(name, name) === null;
    },
  });
});
afterEach(() => removeFolder(base));

const copies = (): number => {
  const files = readdirSync(path.join(base, '.flow/guards'), { recursive: true, encoding: 'utf8' });
  return files.filter((name) => /files\/\d+$/.test(name)).length;
};

async function watched(work: () => void) {
  const watch = await guard.watch('k', root, { mode: 'strict', paths: [] });
  const copied = copies();
  work();
  const { trespasses } = await watch.end();
  return { copied, found: trespasses.map(({ path: name, what, restored }) => [name, what, restored]) };
}

test('nothing of it is copied, and each way to change it is found', async () => {
  const { copied, found } = await watched(() => {
    writeFileSync(at(module(1)), 'changed\n');
    // The same size and modification time as before.
    writeFileSync(at(module(2)), 'MODULE 2\n');
    utimesSync(at(module(2)), 1, 1);
    rmSync(at(module(3)));
    writeFileSync(at('node_modules/m4/new.js'), 'new\n');
    rmSync(at(module(5)));
    symlinkSync('/etc/hostname', at(module(5)));
  });
  expect(copied).toBeLessThan(100);
  expect(found).toEqual([
    [module(1), 'changed', false],
    [module(2), 'changed', false],
    [module(3), 'removed', false],
    ['node_modules/m4/new.js', 'added', true],
    [module(5), 'changed', false],
  ]);
});

test('a file that changed after the set-up is copied and restored', async () => {
  writeFileSync(at(module(7)), 'edited by a person\n');
  const { found } = await watched(() => writeFileSync(at(module(7)), 'changed\n'));
  expect(found).toEqual([[module(7), 'changed', true]]);
  expect(readFileSync(at(module(7)), 'utf8')).toBe('edited by a person\n');
});

test('a new name of a file elsewhere is no change of it', async () => {
  linkSync(at(module(8)), path.join(base, 'store.js'));
  const { found } = await watched(() => linkSync(path.join(base, 'store.js'), path.join(base, 'other.js')));
  expect(found).toEqual([]);
});

test('another process finds the changes after a crash', async () => {
  await guard.watch('k', root, { mode: 'strict', paths: [] });
  writeFileSync(at(module(9)), 'changed\n');
  const report = await guard.endLeft('k');
  expect(report?.trespasses.map(({ path: name }) => name)).toEqual([module(9)]);
});

test('a folder that is replaced by a link is found', async () => {
  const { found } = await watched(() => {
    rmSync(at('node_modules'), { recursive: true });
    symlinkSync('/tmp', at('node_modules'));
  });
  expect(found.length).toBeGreaterThan(600);
  expect(found.some(([name]) => name === 'node_modules')).toBe(true);
});
