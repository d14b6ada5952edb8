import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isOwnGitFolder } from '#io/git/plumbing/bare-repository.ts';

let base: string;
const at = (name: string): string => path.join(base, name);
const git = (folder: string, ...args: readonly string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-bare-')));
  git(base, 'init', '-q', 'clone');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test('files of a clone that look like a bare repository are none', async () => {
  git(at('clone'), 'init', '-q', '--bare', 'sub');
  expect(await isOwnGitFolder(at('clone/sub'))).toBe(false);
  // The git folder lists a worktree whose own `.git` file does not exist.
  mkdirSync(at('clone/sub/worktrees/x'), { recursive: true });
  writeFileSync(at('clone/sub/worktrees/x/gitdir'), at('clone/.git'));
  expect(await isOwnGitFolder(at('clone/sub'))).toBe(false);
});

test('git folders that people have made are used', async () => {
  git(base, 'init', '-q', '--bare', 'bare.git');
  expect(await isOwnGitFolder(at('bare.git'))).toBe(true);
  expect(await isOwnGitFolder(at('clone/.git'))).toBe(true);
  // A bare repository next to its worktrees, found through a `.git` file.
  mkdirSync(at('led'));
  git(at('led'), 'init', '-q', '--bare', '.bare');
  writeFileSync(at('led/.git'), 'gitdir: ./.bare\n');
  expect(await isOwnGitFolder(at('led/.bare'))).toBe(true);
  // A bare repository inside of another repository.
  git(at('clone'), '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
  git(base, 'clone', '-q', '--bare', 'clone', 'clone/nested.git');
  git(at('clone/nested.git'), 'worktree', 'add', '-q', '-b', 'w', at('w'));
  expect(await isOwnGitFolder(at('clone/nested.git'))).toBe(true);
});

test('other folders are no git folders', async () => {
  expect(existsSync(at('clone/.git'))).toBe(true);
  expect([await isOwnGitFolder(at('clone')), await isOwnGitFolder(at('none'))]).toEqual([false, false]);
});
