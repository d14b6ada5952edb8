import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionId } from '#protocol/id.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { type AddResult, addWorktree, type NewWorktree } from '#io/git/worktrees/add-worktree.ts';
import { caseNote, tooLong } from '#io/git/worktrees/check-names.ts';
import { worktreePlace, worktreesFolder } from '#io/git/worktrees/worktree-place.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';
import { LFS_AWAY, LFS_POINTER } from '../../../../support/lfs-away.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { isAlive } from '../../../../support/is-alive.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await newRepository();
});
afterEach(() => repo.end());

const session = 's0a1b2c3d' as SessionId;
const IS_ROOT = process.getuid?.() === 0 && process.platform === 'linux';

const asked = (more: Partial<NewWorktree> = {}): NewWorktree => ({
  repository: repo.root,
  path: worktreePlace(repo.root, 'Fix it', session),
  branch: 'robosmith/fix-it',
  start: { kind: 'new', base: 'main' },
  sparse: [],
  session,
  ...more,
});
const add = (more?: Partial<NewWorktree>): Promise<AddResult> => addWorktree(realGit, asked(more));

async function made(more?: Partial<NewWorktree>) {
  const added = await add(more);
  if (added.kind === 'refused') throw new Error(`${added.why}: ${added.message}`);
  return added;
}

/** Returns everything that a failed call might leave in the repository. */
const traces = (root = repo.root) => ({
  refs: repo.git(['for-each-ref', '--format=%(refname) %(objectname)'], root),
  worktrees: repo.git(['worktree', 'list', '--porcelain'], root),
  folders: readdirSync(repo.base).sort(),
  head: repo.git(['rev-parse', 'HEAD'], root),
  status: repo.git(['status', '--porcelain'], root),
});

/** Expects that the call is refused without changing anything, and returns the reason and the message. */
async function refusedWhole(more: Partial<NewWorktree>): Promise<readonly [string, string]> {
  const before = traces();
  const added = await add(more);
  if (added.kind === 'made') throw new Error('it was made');
  expect(added.leftovers).toEqual([]);
  expect(traces()).toEqual(before);
  return [added.why, added.message];
}

test('a worktree beside the repository, on a branch of its own, locked for its session', async () => {
  verifies('worktrees.git.beside');
  const { path: place, commit, notes } = await made();
  expect(place).toBe(path.join(repo.base, 'project.worktrees', 'fix-it-s0a1b2c3d'));
  expect(commit).toBe(repo.git(['rev-parse', 'main']));
  expect(notes).toEqual([]);
  expect(readFileSync(path.join(place, 'src/b.txt'), 'utf8')).toBe('b\n');
  expect(repo.git(['status', '--porcelain', '--branch'], place)).toBe('## robosmith/fix-it');
  expect(repo.git(['worktree', 'list', '--porcelain'])).toContain('locked robosmith s0a1b2c3d');
  expect(repo.git(['status', '--porcelain'])).toBe('');
});

test('prune of others does not take it, not even when its folder is away for a while', async () => {
  const { path: place } = await made();
  renameSync(place, `${place}.away`);
  repo.git(['worktree', 'prune', '--expire=now']);
  renameSync(`${place}.away`, place);
  expect(repo.git(['status', '--porcelain', '--branch'], place)).toBe('## robosmith/fix-it');
});

test('it starts from the base as it is now, not as another session found it', async () => {
  await made();
  repo.put('a.txt', 'newer\n');
  const newer = repo.commit('Newer');
  const second = await made({ branch: 'robosmith/second', path: repo.at('second') });
  expect(second.commit).toBe(newer);
});

test('eight with one title at once: eight worktrees', async () => {
  verifies('worktrees.git.same-millisecond');
  const ids = Array.from({ length: 8 }, (_, index) => `s0000000${index}` as SessionId);
  const all = await Promise.all(
    ids.map((id) => made({ session: id, branch: `robosmith/x-${id}`, path: worktreePlace(repo.root, 'Fix it', id) })),
  );
  expect(new Set(all.map((one) => one.path)).size).toBe(8);
  expect(repo.git(['worktree', 'list']).split('\n')).toHaveLength(9);
});

test('eight who want the same branch and place at once: one gets it, the others leave nothing and take nothing', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => add()));
  expect(all.filter(({ kind }) => kind === 'made')).toHaveLength(1);
  const [one] = all.filter((added) => added.kind === 'made');
  expect(readFileSync(path.join(one!.path, 'a.txt'), 'utf8')).toBe('a\n');
  expect(repo.git(['rev-parse', 'robosmith/fix-it'])).toBe(one!.commit);
  expect(repo.git(['worktree', 'list']).split('\n')).toHaveLength(2);
});

test('eight places for one branch at once: one gets it', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, (_, index) => add({ path: repo.at(`p${index}`) })));
  expect(all.filter(({ kind }) => kind === 'made')).toHaveLength(1);
  expect(readdirSync(repo.base).filter((name) => name.startsWith('p') && name !== 'project')).toHaveLength(1);
});

test('its own worktree, whose folder is gone, is made again on its branch; that of another session is not taken', async () => {
  const { path: place } = await made();
  repo.put('f.txt', 'f\n', place);
  const tip = repo.commit('Feature', place);
  rmSync(place, { recursive: true });
  const other = 's99999999' as SessionId;
  expect((await refusedWhole({ start: { kind: 'attach' }, session: other }))[0]).toBe('path_registered');
  expect((await made({ start: { kind: 'attach' } })).commit).toBe(tip);
  expect(readFileSync(path.join(place, 'f.txt'), 'utf8')).toBe('f\n');
});

describe('whichever git command fails, nothing is left, and nothing else is touched', () => {
  /** Returns a fake git whose n-th command fails before or after its work, or throws. */
  const faulty = (number: number, how: 'before' | 'after' | 'throws') => {
    let count = 0;
    const git: Git = async (...call) => {
      if (++count !== number) return realGit(...call);
      if (how === 'throws') throw new Error('injected');
      if (how === 'after') await realGit(...call);
      return { ok: false, code: 1, out: '', err: 'fatal: injected' };
    };
    return { git, isOver: () => count < number };
  };

  test.each(['before', 'after', 'throws'] as const)('%s', async (how) => {
    repo.put('untracked.txt', 'mine\n');
    mkdirSync(repo.at('project.worktrees'));
    const before = traces();
    const MOST = 40;
    let number = 1;
    for (; number < MOST; number++) {
      const { git, isOver } = faulty(number, how);
      const added = await addWorktree(git, asked({ sparse: ['src'] })).catch((thrown: unknown) => String(thrown));
      if (isOver()) break;
      if (typeof added === 'string') expect(added).toBe('Error: injected');
      else if (added.kind === 'refused') expect([number, added.leftovers]).toEqual([number, []]);
      else {
        // Some commands only collect optional information. If they fail, the worktree is created without it.
        repo.git(['worktree', 'remove', '-f', '-f', added.path]);
        repo.git(['branch', '-D', 'robosmith/fix-it']);
      }
      expect([number, traces()]).toEqual([number, before]);
    }
    expect(number).toBeGreaterThan(8);
    expect(number).toBeLessThan(MOST);
  });
});

describe('the branch', () => {
  test('one that is there is not taken, and stays', async () => {
    repo.git(['branch', 'robosmith/fix-it']);
    expect((await refusedWhole({}))[0]).toBe('branch_exists');
  });

  test('one that is there is attached, with its commits', async () => {
    repo.git(['checkout', '-q', '-b', 'feature']);
    repo.put('f.txt', 'f\n');
    const tip = repo.commit('Feature');
    repo.git(['checkout', '-q', 'main']);
    const { path: place, commit } = await made({ branch: 'feature', start: { kind: 'attach' } });
    expect(commit).toBe(tip);
    expect(existsSync(path.join(place, 'f.txt'))).toBe(true);
  });

  test('attached one that fails half way outlives it', async () => {
    repo.git(['branch', 'feature']);
    repo.hook('post-checkout', 'exit 3');
    expect((await refusedWhole({ branch: 'feature', start: { kind: 'attach' } }))[0]).toBe('hook_failed');
    expect(repo.git(['branch', '--list', 'feature'])).toContain('feature');
  });

  test('one that is checked out elsewhere says where', async () => {
    expect(await refusedWhole({ branch: 'main', start: { kind: 'attach' } })).toEqual([
      'branch_checked_out',
      expect.stringContaining(`checked out in ${repo.root}: check out another`),
    ]);
  });

  test('one that a worktree holds whose folder is gone says how it is freed', async () => {
    rmSync(repo.linkedWorktree('gone', 'feature'), { recursive: true });
    const [why, message] = await refusedWhole({ branch: 'feature', start: { kind: 'attach' } });
    expect([why, message]).toEqual([
      'branch_checked_out',
      expect.stringContaining('git worktree remove --force --force'),
    ]);
  });

  test('one that is being rebased in another worktree, which shows as detached there', async () => {
    const other = repo.linkedWorktree('other', 'feature');
    repo.put('a.txt', 'feature\n', other);
    repo.commit('Feature', other);
    repo.put('a.txt', 'main\n');
    repo.commit('Main');
    repo.tryGit(['rebase', '-q', 'main'], other);
    expect((await refusedWhole({ branch: 'feature', start: { kind: 'attach' } }))[0]).toBe('branch_checked_out');
  });

  test('missing, of a bad name, or with a branch in its way', async () => {
    expect((await refusedWhole({ branch: 'nope', start: { kind: 'attach' } }))[0]).toBe('branch_missing');
    for (const branch of ['a b', '-x', 'a..b', 'HEAD', '', 'x.lock'])
      expect((await refusedWhole({ branch }))[0]).toBe('bad_branch_name');
    repo.git(['branch', 'robosmith']);
    expect((await refusedWhole({}))[0]).toBe('branch_blocked');
  });

  test('no such base', async () => {
    expect((await refusedWhole({ start: { kind: 'new', base: 'nope' } }))[0]).toBe('base_missing');
    expect((await refusedWhole({ start: { kind: 'new', base: 'f'.repeat(40) } }))[0]).toBe('base_missing');
    expect((await refusedWhole({ start: { kind: 'new', base: '--help' } }))[0]).toBe('base_missing');
  });
});

describe('the place', () => {
  test('a folder with something in it, an empty one, a file, a broken link: all stay as they are', async () => {
    repo.put('full/mine.txt', 'mine\n', repo.base);
    mkdirSync(repo.at('empty'));
    repo.put('file', 'mine\n', repo.base);
    symlinkSync('nowhere', repo.at('link'));
    for (const name of ['full', 'empty', 'file', 'link'])
      expect((await refusedWhole({ path: repo.at(name) }))[0]).toBe('path_taken');
    expect(readFileSync(repo.at('full/mine.txt'), 'utf8')).toBe('mine\n');
  });

  test('a name that differs from another one in case only', async () => {
    mkdirSync(repo.at('Wt'));
    expect((await refusedWhole({ path: repo.at('wt') }))[0]).toBe('path_taken');
  });

  test('a file where a parent should be', async () => {
    repo.put('file', '', repo.base);
    expect((await refusedWhole({ path: repo.at('file/x') }))[0]).toBe('path_taken');
  });

  test('inside of the repository, and inside of another worktree, so that nested tools do not nest worktrees', async () => {
    expect((await refusedWhole({ path: path.join(repo.root, '.worktrees/x') }))[0]).toBe('inside_worktree');
    const { path: one } = await made();
    expect((await refusedWhole({ path: path.join(one, 'x'), branch: 'y' }))[0]).toBe('inside_worktree');
    // A call from inside another worktree may place the new one beside the main one.
    const second = await made({ repository: one, path: repo.at('second'), branch: 'y' });
    expect(second.path).toBe(repo.at('second'));
  });

  test('one that git knows, though its folder is gone', async () => {
    rmSync(repo.linkedWorktree('old', 'old'), { recursive: true });
    expect(await refusedWhole({ path: repo.at('old') })).toEqual([
      'path_registered',
      expect.stringContaining('git worktree remove --force --force'),
    ]);
  });

  test('a link on the way: the path is the real one', async () => {
    mkdirSync(repo.at('real'));
    symlinkSync('real', repo.at('link'));
    expect((await made({ path: repo.at('link/x') })).path).toBe(repo.at('real/x'));
  });

  test('blanks, quotes, backslashes and Unicode in paths', async () => {
    const other = await newRepository({ name: 'ein Projekt "ü" 日本 \\n' });
    const name = 'ein "Ort" \\x 日本\n2';
    const place = path.join(other.base, name);
    expect(await addWorktree(realGit, { ...asked(), repository: other.root, path: place })).toMatchObject({
      kind: 'made',
      path: place,
    });
    expect(readFileSync(path.join(place, 'a.txt'), 'utf8')).toBe('a\n');
    await other.end();
  });

  test('a path of more than 260 characters', async () => {
    const place = repo.at(`${'d'.repeat(120)}/${'e'.repeat(120)}/${'f'.repeat(60)}`);
    expect((await made({ path: place })).path).toBe(place);
  });

  test('a name, and a path, that no system takes', async () => {
    expect((await refusedWhole({ path: repo.at('x'.repeat(300)) }))[0]).toBe('path_too_long');
    expect((await refusedWhole({ path: repo.at(`${'y'.repeat(200)}/`.repeat(25)) }))[0]).toBe('path_too_long');
  });

  test('on Windows: files whose path would be too long are told before anything is made', async () => {
    repo.put(`${'deep/'.repeat(30)}file.txt`, 'x');
    repo.commit('Deep');
    const place = repo.at('w'.repeat(100));
    expect(await refusedWhole({ path: place, platform: 'win32' })).toEqual([
      'path_too_long',
      expect.stringMatching(/deep\/file\.txt would have \d+ characters/),
    ]);
    repo.git(['config', 'core.longpaths', 'true']);
    expect((await made({ path: place, platform: 'win32' })).kind).toBe('made');
  });

  test.skipIf(!IS_ROOT)('a parent on a read-only disk, and a disk that is full half way', async () => {
    const disk = repo.at('disk');
    mkdirSync(disk);
    const mount = (options: string) =>
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk], { stdio: 'ignore' });
    repo.put('big.bin', Buffer.alloc(3_000_000, 7));
    repo.commit('Big');
    for (const [options, why] of [
      ['ro', 'read_only'],
      ['size=1m', 'disk_full'],
    ] as const) {
      mount(options);
      try {
        expect((await refusedWhole({ path: path.join(disk, 'deep/x') }))[0]).toBe(why);
        expect(readdirSync(disk)).toEqual([]);
      } finally {
        execFileSync('umount', [disk]);
      }
    }
  });
});

test.skipIf(!IS_ROOT)('a git folder that is read-only, as in a sandbox', async () => {
  const folder = path.join(repo.root, '.git');
  execFileSync('mount', ['--bind', folder, folder]);
  try {
    execFileSync('mount', ['-o', 'remount,ro,bind', folder]);
    expect((await refusedWhole({}))[0]).toBe('read_only');
    repo.git(['config', '--get', 'core.bare']);
  } finally {
    execFileSync('umount', [folder]);
  }
});

describe('what runs while it is made', () => {
  test('a hook that fails: nothing is left, and what it said is told', async () => {
    verifies('worktrees.git.rolls-back');
    repo.hook('post-checkout', 'echo "no node here" >&2; exit 1');
    expect(await refusedWhole({})).toEqual(['hook_failed', expect.stringContaining('no node here')]);
  });

  test('a hook that hangs is ended with all that it started', async () => {
    repo.hook('post-checkout', 'echo $$ > ../../pid; sleep 600 & sleep 600');
    const { base } = repo;
    const added = await add({ timeoutMs: 5_000 });
    expect(added).toMatchObject({ kind: 'refused', why: 'timed_out', leftovers: [] });
    const pid = Number(readFileSync(path.join(base, 'pid'), 'utf8'));
    expect(isAlive(pid)).toBe(false);
    rmSync(path.join(base, 'pid'));
    expect(readdirSync(base)).toEqual(['project']);
    expect(repo.git(['branch', '--list', 'robosmith/*'])).toBe('');
    expect(repo.git(['worktree', 'list']).split('\n')).toHaveLength(1);
  });

  test('a hook that leaves files: they go with the worktree that it refused', async () => {
    repo.hook('post-checkout', 'echo x > untracked.txt; echo y > a.txt; exit 1');
    expect((await refusedWhole({}))[0]).toBe('hook_failed');
  });

  test('a hook that commits on the branch before it fails: the commit is kept, and told', async () => {
    repo.hook('post-checkout', 'git commit -q --allow-empty -m "of the hook"; exit 1');
    const added = await add();
    expect(added).toMatchObject({ why: 'hook_failed', leftovers: ['the branch robosmith/fix-it'] });
    expect(repo.git(['log', '-1', '--format=%s', 'robosmith/fix-it'])).toBe('of the hook');
  });

  test('a hook that checks another branch out', async () => {
    repo.hook('post-checkout', 'git symbolic-ref HEAD refs/heads/elsewhere');
    const before = traces();
    const added = await add();
    expect(added).toMatchObject({ kind: 'refused', why: 'branch_moved', leftovers: [] });
    expect(traces()).toEqual(before);
  });

  test('a filter that fails', async () => {
    repo.put('.gitattributes', '*.x filter=broken\n');
    repo.put('f.x', 'x\n');
    repo.commit('Filtered');
    repo.git(['config', 'filter.broken.smudge', 'false']);
    repo.git(['config', 'filter.broken.clean', 'cat']);
    repo.git(['config', 'filter.broken.required', 'true']);
    expect((await refusedWhole({}))[0]).toBe('filter_failed');
  });

  test('LFS is set up but not installed: pointers stay pointers, and it is said', async () => {
    repo.put('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
    repo.put('big.bin', LFS_POINTER);
    repo.commit('Pointer');
    for (const [key, value] of LFS_AWAY) repo.git(['config', key, value]);
    const { path: place, notes } = await made();
    expect(readFileSync(path.join(place, 'big.bin'), 'utf8')).toBe(LFS_POINTER);
    expect(notes.map(({ why }) => why)).toEqual(['lfs_missing']);
  });

  test('a branch name that a lock of a killed git holds', async () => {
    mkdirSync(path.join(repo.root, '.git/refs/heads/robosmith'));
    const lock = path.join(repo.root, '.git/refs/heads/robosmith/fix-it.lock');
    writeFileSync(lock, '');
    const before = traces();
    expect(await add()).toMatchObject({
      why: 'locked_by_git',
      message: expect.stringContaining('fix-it.lock') as string,
    });
    expect(traces()).toEqual(before);
  });
});

describe('repositories of all kinds', () => {
  test('a sparse checkout: only these folders, in this worktree alone', async () => {
    repo.put('lib/c.txt', 'c\n');
    repo.put('docs/d.txt', 'd\n');
    repo.commit('More');
    const { path: place, notes } = await made({ sparse: ['lib', 'none'] });
    expect(readdirSync(place).sort()).toEqual(['.git', 'a.txt', 'lib']);
    expect(repo.git(['status', '--porcelain'], place)).toBe('');
    expect(notes).toMatchObject([{ why: 'sparse_missing' }]);
    expect(existsSync(path.join(repo.root, 'docs/d.txt'))).toBe(true);
    const second = await made({ branch: 'all', path: repo.at('all') });
    expect(existsSync(path.join(second.path, 'docs/d.txt'))).toBe(true);
  });

  test('a sparse folder that is an option or leads out is refused whole', async () => {
    for (const folder of ['--stdin', '../x', '/etc', ''])
      expect((await refusedWhole({ sparse: [folder] }))[0]).toBe('bad_sparse');
  });

  test('a hook that fails in a sparse checkout', async () => {
    repo.hook('post-checkout', 'exit 1');
    expect((await refusedWhole({ sparse: ['src'] }))[0]).toBe('hook_failed');
  });

  test('submodules are not there, and it is said', async () => {
    const lib = await newRepository();
    repo.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.root, 'vendor/lib']);
    repo.commit('Sub');
    const { path: place, notes } = await made();
    expect(readdirSync(path.join(place, 'vendor/lib'))).toEqual([]);
    expect(notes).toMatchObject([{ why: 'submodules', message: expect.stringContaining('vendor/lib') as string }]);
    await lib.end();
  });

  test('a bare repository, its worktrees beside it', async () => {
    const bare = repo.at('bare.git');
    repo.git(['clone', '-q', '--bare', repo.root, bare]);
    expect(worktreesFolder(bare)).toBe(repo.at('bare.worktrees'));
    const { path: place } = await made({ repository: bare, path: worktreePlace(bare, '日本', session) });
    expect(place).toBe(repo.at(`bare.worktrees/${session}`));
    expect(readFileSync(path.join(place, 'a.txt'), 'utf8')).toBe('a\n');
  });

  test('CRLF attributes, links and modes: the new worktree is clean', async () => {
    repo.put('.gitattributes', '*.txt text eol=crlf\n*.sh text eol=lf\n');
    repo.put('run.sh', '#!/bin/sh\n');
    symlinkSync('a.txt', path.join(repo.root, 'link'));
    repo.git(['config', 'core.autocrlf', 'true']);
    repo.commit('Attributes');
    const { path: place } = await made();
    expect(readFileSync(path.join(place, 'a.txt'), 'utf8')).toBe('a\r\n');
    expect(lstatSync(path.join(place, 'link')).isSymbolicLink()).toBe(true);
    expect(repo.git(['status', '--porcelain'], place)).toBe('');
  });

  test('no identity, signed commits that cannot be made, rerere: none of them hinders a worktree', async () => {
    repo.git(['config', '--unset', 'user.name']);
    repo.git(['config', 'user.useConfigOnly', 'true']);
    repo.git(['config', 'commit.gpgsign', 'true']);
    repo.git(['config', 'gpg.program', 'false']);
    repo.git(['config', 'rerere.enabled', 'true']);
    expect((await made()).kind).toBe('made');
  });

  test('a merge in progress, an index.lock and changes in the main worktree: they stay as they are', async () => {
    repo.diverge('other');
    repo.tryGit(['merge', '-q', 'other']);
    writeFileSync(path.join(repo.root, '.git/index.lock'), '');
    const before = traces().status;
    const { path: place } = await made();
    expect(readFileSync(path.join(place, 'a.txt'), 'utf8')).toBe('main\n');
    expect(traces().status).toBe(before);
    expect(existsSync(path.join(repo.root, '.git/MERGE_HEAD'))).toBe(true);
  });
});

test('two names that differ in case only are told where the file system makes no difference', () => {
  expect(caseNote(['src/Foo.ts', 'src/bar.ts', 'src/foo.ts'])).toMatchObject([
    { why: 'case_twins', message: expect.stringContaining('src/Foo.ts and src/foo.ts') as string },
  ]);
  expect(caseNote(['a', 'b'])).toEqual([]);
});

test('the limit of Windows, to the character', () => {
  expect(tooLong('p'.repeat(200), ['x'.repeat(58)])).toBe(null);
  expect(tooLong('p'.repeat(200), ['x'.repeat(59)])).toMatchObject({ why: 'path_too_long' });
});
