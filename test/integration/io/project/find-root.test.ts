import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findRoot } from '#io/project/find-root.ts';
import { verifies } from '../../../e2e/verifies.ts';

let base = '';
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-root-')));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const at = (...parts: readonly string[]): string => path.join(base, ...parts);
const make = async (...folders: readonly string[]): Promise<void> => {
  for (const folder of folders) await mkdir(at(folder), { recursive: true });
};

/** Returns the found root relative to the folder of the test, or the reason why there is none. */
const rootFrom = async (...parts: readonly string[]): Promise<string> => {
  const found = await findRoot(at(...parts));
  return 'root' in found ? `/${path.relative(base, found.root)}` : found.reason;
};

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync(
    'git',
    ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always', '-C', at(folder), ...args],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );

async function repository(folder: string): Promise<void> {
  await make(folder);
  git(folder, 'init', '--quiet');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'first');
}

describe('outside of git', () => {
  test('the nearest folder with .flow/ is the root', async () => {
    await make('.flow', 'inner/.flow', 'inner/deep/er', 'other');
    expect(await rootFrom('inner/deep/er')).toBe('/inner');
    expect(await rootFrom('inner')).toBe('/inner');
    expect(await rootFrom('other')).toBe('/');
    expect(await rootFrom('other/not/there')).toBe('/');
  });

  test('none at all is said with the place', async () => {
    expect(await findRoot(base)).toEqual({
      reason: 'root_not_found',
      message: `no .flow directory in ${base} or above`,
    });
  });

  test('a file in its place is no root, and hides none above', async () => {
    verifies('engine.root.errors');
    await make('.flow', 'inner/deep');
    await writeFile(at('inner/.flow'), '');
    expect(await findRoot(at('inner/deep'))).toEqual({
      reason: 'invalid_root',
      message: `${at('inner/.flow')} is a file, but must be a directory`,
    });
  });

  test.skipIf(process.platform === 'win32')('.flow may be a link to a directory, and to nothing else', async () => {
    await make('good/state', 'file', 'dangling', 'loop', 'through');
    await writeFile(at('a.txt'), '');
    await symlink('state', at('good/.flow'));
    await symlink(at('a.txt'), at('file/.flow'));
    await symlink(at('none'), at('dangling/.flow'));
    await symlink('.flow', at('loop/.flow'));
    await symlink(at('a.txt/x'), at('through/.flow'));
    expect(await rootFrom('good')).toBe('/good');
    for (const [folder, kind] of [
      ['file', 'link to a file'],
      ['dangling', 'broken link'],
      ['loop', 'broken link'],
      ['through', 'broken link'],
    ] as const)
      expect(await findRoot(at(folder))).toEqual({
        reason: 'invalid_root',
        message: `${at(folder, '.flow')} is a ${kind}, but must be a directory`,
      });
  });

  test.each(['.flow', '.flow/put-back', '.flow/runs/r1', '.vision/logs'])(
    '%s may be no link that leads out',
    async (place) => {
      verifies('engine.root.errors');
      await make('mine', 'project/src', path.join('project', path.dirname(place)));
      if (!place.startsWith('.flow')) await make('project/.flow');
      await symlink(at('mine'), at('project', place), 'junction');
      expect(await findRoot(at('project/src'))).toEqual({
        reason: 'invalid_root',
        message: `${at('project', place)} is a link that leads out of the project. Replace it with a directory; to keep it on another disk, mount that disk there`,
      });
    },
  );

  test.skipIf(process.platform === 'win32')('a file in .flow may be a link, and so may a folder within', async () => {
    await make('.flow', 'src/workers', 'mine');
    await writeFile(at('mine/registry.json'), '{}');
    await symlink('../mine/registry.json', at('.flow/flow.registry.json'));
    await symlink('../src/workers', at('.flow/workers'));
    await symlink('loop', at('.flow/loop'));
    expect(await rootFrom('src')).toBe('/');
  });

  test.skipIf(process.platform === 'win32')('links in the way are followed, as the system does', async () => {
    await make('project/.flow', 'project/src', 'elsewhere/.flow');
    await symlink(at('project/src'), at('elsewhere/link'));
    await symlink('round', at('round'));
    expect(await rootFrom('elsewhere/link')).toBe('/project');
    expect(await rootFrom('round/and/round')).toBe('root_not_found');
  });

  test.skipIf(process.platform === 'win32')('what may not be looked at is not there', async () => {
    await make('.flow', 'locked/inner/deep', 'behind');
    await symlink(at('locked/inner'), at('behind/.flow'));
    // Root can search every folder, so the program first changes to another user.
    const source = `
      import { chmodSync } from 'node:fs';
      const { findRoot } = await import(${JSON.stringify(new URL('../../../../src/io/project/find-root.ts', import.meta.url).href)});
      chmodSync(${JSON.stringify(base)}, 0o755);
      chmodSync(${JSON.stringify(at('locked'))}, 0o000);
      if (process.getuid() === 0) process.setuid(65534);
      const found = [];
      for (const from of ${JSON.stringify([at('locked/inner/deep'), at('behind')])}) found.push(await findRoot(from));
      process.stdout.write(JSON.stringify(found));
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
    await rm(at('behind'), { recursive: true });
    expect([stdout, stderr]).toEqual([JSON.stringify([{ root: base }, { root: base }]), '']);
  });
});

describe('in a linked worktree', () => {
  beforeEach(async () => {
    await repository('repo');
    git('repo', 'worktree', 'add', '--quiet', at('repo.worktrees/task'));
  });

  test('the main worktree has the root, with a .flow/ of its own in the linked one or without', async () => {
    verifies('engine.root.nearest-flow');
    await make('repo/.flow', 'repo.worktrees/task/src');
    expect(await rootFrom('repo.worktrees/task/src')).toBe('/repo');
    await make('repo.worktrees/task/.flow');
    expect(await rootFrom('repo.worktrees/task/src')).toBe('/repo');
    expect(await rootFrom('repo')).toBe('/repo');
  });

  test('a project inside of the repository is the same one there', async () => {
    await make('repo/.flow', 'repo/app/.flow', 'repo.worktrees/task/.flow', 'repo.worktrees/task/app/.flow/x');
    expect(await rootFrom('repo.worktrees/task/app')).toBe('/repo/app');
    await rm(at('repo/app'), { recursive: true });
    expect(await rootFrom('repo.worktrees/task/app')).toBe('/repo');
  });

  test('without .flow/ in the main one, it is an ordinary folder', async () => {
    await make('.flow', 'repo.worktrees/task/src');
    expect(await rootFrom('repo.worktrees/task/src')).toBe('/');
    await make('repo.worktrees/task/.flow');
    expect(await rootFrom('repo.worktrees/task/src')).toBe('/repo.worktrees/task');
  });

  test('a file in the place of .flow/ in the main one is an error there', async () => {
    await make('repo.worktrees/task/.flow');
    await writeFile(at('repo/.flow'), '');
    expect(await rootFrom('repo.worktrees/task')).toBe('invalid_root');
  });

  test('git may have written relative paths', async () => {
    await make('repo/.flow');
    const name = path.relative(at('repo.worktrees/task'), at('repo/.git/worktrees/task'));
    await writeFile(at('repo.worktrees/task/.git'), `gitdir: ${name}\n`);
    expect(git('repo.worktrees/task', 'rev-parse', '--git-common-dir').trim()).toBe(at('repo/.git'));
    expect(await rootFrom('repo.worktrees/task')).toBe('/repo');
  });

  test('one whose main worktree is gone is an ordinary folder', async () => {
    await make('repo.worktrees/task/.flow');
    await rename(at('repo/.git'), at('elsewhere'));
    expect(await rootFrom('repo.worktrees/task')).toBe('/repo.worktrees/task');
  });

  test('a repository inside of it has its own root, or that of the worktree around it', async () => {
    await make('repo/.flow', 'repo.worktrees/task/.flow');
    await repository('repo.worktrees/task/inner');
    expect(await rootFrom('repo.worktrees/task/inner')).toBe('/repo');
    await make('repo.worktrees/task/inner/.flow');
    expect(await rootFrom('repo.worktrees/task/inner')).toBe('/repo.worktrees/task/inner');
  });
});

test('a bare repository has no main worktree', async () => {
  await repository('repo');
  git('.', 'clone', '--quiet', '--bare', at('repo'), at('bare.git'));
  git('bare.git', 'worktree', 'add', '--quiet', at('task'));
  await make('.flow', 'task/.flow');
  expect(await rootFrom('task')).toBe('/task');
});

test('a submodule is no linked worktree', async () => {
  await repository('library');
  await repository('repo');
  git('repo', 'submodule', '--quiet', 'add', at('library'), 'worktrees/library');
  expect(await readFile(at('repo/worktrees/library/.git'), 'utf8')).toBe(
    'gitdir: ../../.git/modules/worktrees/library\n',
  );
  await make('repo/.flow');
  expect(await rootFrom('repo/worktrees/library')).toBe('/repo');
  await make('repo/worktrees/library/.flow');
  expect(await rootFrom('repo/worktrees/library')).toBe('/repo/worktrees/library');
});

test('a submodule in a linked worktree: its own root, else that of the main worktree', async () => {
  await repository('library');
  await repository('repo');
  git('repo', 'submodule', '--quiet', 'add', at('library'), 'library');
  git('repo', 'commit', '--quiet', '--message', 'submodule');
  git('repo', 'worktree', 'add', '--quiet', at('task'));
  git('task', 'submodule', '--quiet', 'update', '--init');
  await make('repo/.flow');
  expect(await rootFrom('task/library')).toBe('/repo');
  await make('task/library/.flow', 'task/.flow');
  expect(await rootFrom('task/library')).toBe('/task/library');
});

test.each(['', 'gitdir:', 'gitdir: nowhere/worktrees/x\n', 'x'.repeat(100_000)])(
  'a .git file that is none of git (%#) changes nothing',
  async (text) => {
    await make('.flow', 'folder');
    await writeFile(at('folder/.git'), text);
    expect(await rootFrom('folder')).toBe('/');
  },
);

test.skipIf(process.platform === 'win32')('a pipe called .git is not waited for', async () => {
  await make('.flow', 'folder/inner');
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', at('folder/.git')]);
  expect(await rootFrom('folder/inner')).toBe('/');
});
