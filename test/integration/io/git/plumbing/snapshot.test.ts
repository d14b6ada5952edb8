import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { restoreSnapshot } from '#io/git/plumbing/restore-snapshot.ts';
import { takeSnapshot } from '#io/git/plumbing/snapshot.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { folderPicture } from '../../../../support/folder-picture.ts';
import { gitFolder, type GitFolder, newRepository, realGit } from '../../../../support/git-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

const REF = 'refs/robosmith/steps/r1/1';
const RESCUE = 'refs/robosmith/rescue/r1/1';

let base = '';
let main: GitFolder;
let work: GitFolder;
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({
    kept: 'kept\n',
    edited: 'edited\n',
    staged: 'staged\n',
    gone: 'gone\n',
    'd/run.sh': 'd/run.sh\n',
    '.gitignore': 'ignored\nbuild/\n*.log\n',
  }));
});
afterEach(() => removeFolder(base));

const at = (name: string): string => path.join(work.at, name);
const picture = (): Record<string, string> => folderPicture(work.at);
const status = (): string => work.git('status', '--porcelain=v2', '--untracked-files=all');
const inTree = (revision: string): readonly string[] =>
  work
    .git('ls-tree', '-r', '-z', '--name-only', revision)
    .split('\0')
    .filter((name) => name !== '');

const taken = async (ref = REF): Promise<string> => {
  const snapshot = await takeSnapshot(realGit, work.at, ref, 'step');
  expect(snapshot).toMatchObject({ kind: 'taken' });
  return snapshot.kind === 'taken' ? snapshot.commit : '';
};

function makeWork(): void {
  work.put('edited', 'edited, not staged\n');
  work.put('staged', 'staged\n staged\n');
  work.git('add', 'staged');
  rmSync(at('gone'));
  work.put('new/untracked', 'u\n');
  work.put('bytes', Uint8Array.from([0, 255, 13, 10, 13]));
  symlinkSync('kept', at('link'));
  chmodSync(at('d/run.sh'), 0o755);
  work.put('ignored', 'i\n');
}

/** Damages the worktree in all the ways that an agent can. */
function spoil(): void {
  for (const name of readdirSync(work.at))
    if (!['.git', 'ignored'].includes(name)) rmSync(at(name), { recursive: true });
  work.put('kept/now/a/folder', 'x\n');
  work.put('other', 'x\n');
  work.put('new', 'a file now\n');
  work.git('add', '-A');
}

describe('a snapshot', () => {
  test('has tracked and untracked files and no ignored ones, and nothing of the user changes', async () => {
    verifies('engine.snapshots.untouched');
    makeWork();
    const [files, before, branch] = [picture(), status(), work.git('rev-parse', 'HEAD')];
    const index = readFileSync(work.git('rev-parse', '--git-path', 'index'));
    const commit = await taken();
    expect(inTree(commit)).toEqual([
      ...['.gitignore', 'bytes', 'd/run.sh', 'edited', 'kept', 'link', 'new/untracked', 'staged'],
    ]);
    expect([picture(), status(), work.git('rev-parse', 'HEAD')]).toEqual([files, before, branch]);
    expect(readFileSync(work.git('rev-parse', '--git-path', 'index'))).toEqual(index);
    expect(work.git('rev-parse', REF)).toBe(commit);
    expect(work.git('rev-parse', `${commit}^1`)).toBe(branch);
    expect(work.git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('refs/heads/main\nrefs/heads/work');
    expect(readdirSync(path.dirname(work.git('rev-parse', '--git-path', 'index'))).join()).not.toContain('robosmith');
  });

  test('is not made when nothing has changed since the last one, and is when the index, HEAD or a file has', async () => {
    makeWork();
    const last = await taken();
    const again = (n: number) => takeSnapshot(realGit, work.at, `refs/robosmith/steps/r1/${n}`, 'step', { last });
    expect(await again(2)).toEqual({ kind: 'unchanged', commit: last, leftOut: [] });
    expect(() => work.git('rev-parse', '--verify', '-q', 'refs/robosmith/steps/r1/2')).toThrow();
    work.git('add', 'edited');
    expect(await again(3)).toMatchObject({ kind: 'taken' });
    work.git('reset', '-q', 'edited');
    work.put('edited', 'more\n');
    expect(await again(4)).toMatchObject({ kind: 'taken' });
    expect(await takeSnapshot(realGit, work.at, REF, 'step')).toMatchObject({ kind: 'refused', why: 'ref_taken' });
    expect(work.git('rev-parse', REF)).toBe(last);
  });

  test('runs no hook, signs nothing, and needs no identity', async () => {
    makeWork();
    for (const hook of ['pre-commit', 'commit-msg', 'reference-transaction', 'post-index-change', 'post-checkout']) {
      main.hook(hook, 'echo ran >> "$(git rev-parse --git-common-dir)/ran"; exit 1');
    }
    main.git('config', '--unset', 'user.name');
    main.git('config', '--unset', 'user.email');
    for (const [key, value] of [
      ['user.useConfigOnly', 'true'],
      ['commit.gpgSign', 'true'],
      ['gpg.program', '/nowhere'],
      ['core.safecrlf', 'true'],
      ['core.autocrlf', 'input'],
      ['add.ignoreErrors', 'true'],
    ] as const)
      main.git('config', key, value);
    work.put('crlf', 'a\r\nb\r\n');
    await taken();
    expect(await restoreSnapshot(realGit, work.at, REF, RESCUE)).toMatchObject({ kind: 'restored' });
    expect(readdirSync(path.join(main.at, '.git'))).not.toContain('ran');
  });

  test('has files that git was told not to look at, and one that changed within the tick of the index', async () => {
    work.git('config', 'core.trustctime', 'false');
    const time = new Date(Math.floor(Date.now() / 1000) * 1000 + 1000);
    work.put('racy', 'aaa\n');
    utimesSync(at('racy'), time, time);
    work.git('add', 'racy');
    const index = work.git('rev-parse', '--git-path', 'index');
    writeFileSync(at('racy'), 'bbb\n');
    utimesSync(at('racy'), time, time);
    utimesSync(index, time, time);
    work.git('update-index', '--assume-unchanged', 'kept');
    work.git('update-index', '--skip-worktree', 'edited');
    utimesSync(index, time, time);
    work.put('kept', 'hidden change\n');
    work.put('edited', 'hidden change\n');
    const commit = await taken();
    for (const name of ['kept', 'edited']) expect(work.git('show', `${commit}:${name}`)).toBe('hidden change');
    expect(work.git('show', `${commit}:racy`)).toBe('bbb');
    expect(work.git('ls-files', '-v', 'kept', 'edited')).toBe('S edited\nh kept');
  });

  test('tells what it leaves out: a repository inside, a huge untracked file', async () => {
    newRepository(at('inner')).commit('i');
    newRepository(at('bare of commits'));
    work.put('huge', '');
    truncateSync(at('huge'), 5_000_000_000);
    work.put('small', 's\n');
    const snapshot = await takeSnapshot(realGit, work.at, REF, 'step');
    expect(snapshot).toMatchObject({
      kind: 'taken',
      leftOut: [
        { path: 'bare of commits/', why: 'repository' },
        { path: 'huge', why: 'too_large' },
        { path: 'inner/', why: 'repository' },
      ],
    });
    expect(inTree(REF)).toContain('small');
    work.put('small', 'other\n');
    expect(await restoreSnapshot(realGit, work.at, REF, RESCUE)).toMatchObject({ kind: 'restored' });
    expect(statSync(at('huge')).size).toBe(5_000_000_000);
    expect(statSync(at('inner/.git')).isDirectory()).toBe(true);
  });

  test('is refused with a reason: no git, a file that nobody can read, a ref whose name is a folder', async () => {
    expect(await takeSnapshot(realGit, base, REF, 'step')).toMatchObject({ kind: 'refused', why: 'not_a_repository' });
    await taken();
    work.put('x', 'x\n');
    expect(await takeSnapshot(realGit, work.at, `${REF}/2`, 'step')).toMatchObject({
      kind: 'refused',
      why: 'ref_taken',
    });
    expect(await restoreSnapshot(realGit, work.at, 'refs/robosmith/none', RESCUE)).toMatchObject({ why: 'missing' });
    expect(await takeSnapshot(realGit, work.at, 'refs/robosmith/a..b', 'step')).toMatchObject({ kind: 'refused' });
    // Root can read every file, so the rest of the test makes no sense.
    if (process.getuid?.() === 0) return;
    chmodSync(at('x'), 0);
    expect(await takeSnapshot(realGit, work.at, `${REF}2`, 'step')).toMatchObject({ why: 'unreadable_file' });
  });

  test('of a repository without a commit is one without a parent', async () => {
    const fresh = newRepository(path.join(base, 'fresh'));
    fresh.put('a', 'a\n');
    fresh.git('add', 'a');
    fresh.put('b', 'b\n');
    expect(await takeSnapshot(realGit, fresh.at, REF, 'step')).toMatchObject({ kind: 'taken' });
    rmSync(path.join(fresh.at, 'a'));
    fresh.git('add', '-A');
    expect(await restoreSnapshot(realGit, fresh.at, REF, RESCUE)).toMatchObject({ kind: 'restored' });
    expect(Object.keys(folderPicture(fresh.at)).sort()).toEqual(['a', 'b']);
    expect(fresh.git('ls-files')).toBe('a');
  });
});

describe('restored', () => {
  test('files and index are as they were, ignored files are kept, and what was there is saved', async () => {
    verifies('engine.snapshots.rescue');
    makeWork();
    const [files, before] = [picture(), status()];
    await taken();
    spoil();
    const spoilt = work.git('ls-files', '-s');
    const restored = await restoreSnapshot(realGit, work.at, REF, RESCUE);
    expect(restored).toMatchObject({ kind: 'restored', rescue: { ref: RESCUE }, headMoved: false });
    expect(picture()).toEqual(files);
    expect(status()).toBe(before);
    expect(inTree(RESCUE)).toEqual(['ignored', 'kept/now/a/folder', 'new', 'other']);
    // Restoring the rescue snapshot undoes the first restoration.
    expect(await restoreSnapshot(realGit, work.at, RESCUE, RESCUE)).toMatchObject({ kind: 'restored' });
    expect(readFileSync(at('new'), 'utf8')).toBe('a file now\n');
    expect(work.git('ls-files', '-s')).toBe(spoilt);
  });

  test('an ignored file in the way is saved before it is written over, a folder of them too', async () => {
    work.put('out/file', 'tracked later ignored\n');
    work.put('build2', 'a file\n');
    await taken();
    rmSync(at('out'), { recursive: true });
    rmSync(at('build2'));
    work.put('.gitignore', 'out\nbuild2/\n');
    work.put('out', 'precious, ignored\n');
    work.put('build2/cache', 'precious, ignored\n');
    mkdirSync(at('build2/empty'));
    expect(await restoreSnapshot(realGit, work.at, REF, RESCUE)).toMatchObject({ kind: 'restored' });
    expect(readFileSync(at('out/file'), 'utf8')).toBe('tracked later ignored\n');
    expect(readFileSync(at('build2'), 'utf8')).toBe('a file\n');
    expect(work.git('show', `${RESCUE}:out`)).toBe('precious, ignored');
    expect(work.git('show', `${RESCUE}:build2/cache`)).toBe('precious, ignored');
  });

  test('commits made since stay, and that is said', async () => {
    makeWork();
    const files = picture();
    await taken();
    spoil();
    const tip = work.commit('agent');
    expect(await restoreSnapshot(realGit, work.at, REF, RESCUE)).toMatchObject({ headMoved: true });
    expect(picture()).toEqual(files);
    expect(work.git('rev-parse', 'HEAD')).toBe(tip);
  });

  test('in the middle of a merge the files come back, and its conflicts stay in the index', async () => {
    work.put('edited', 'mine\n');
    work.commit('mine');
    main.put('edited', 'theirs\n');
    const theirs = main.commit('theirs');
    expect(() => work.git('merge', theirs)).toThrow();
    work.git('add', '-N', 'kept');
    const [files, before] = [picture(), status()];
    await taken();
    work.put('edited', 'a wrong answer\n');
    expect(await restoreSnapshot(realGit, work.at, REF, RESCUE)).toMatchObject({ kind: 'restored' });
    expect(picture()).toEqual(files);
    expect(status()).toBe(before);
    expect(work.git('rev-parse', 'MERGE_HEAD')).toBe(theirs);
  });

  test('with an intent to add, a sparse checkout and a submodule', async () => {
    const inner = newRepository(path.join(base, 'inner'));
    inner.put('i', 'i\n');
    const first = inner.commit('i');
    work.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.at, 'sub');
    work.put('far/away', 'f\n');
    work.commit('sub');
    work.git('sparse-checkout', 'set', '--skip-checks', 'd', 'sub');
    work.put('intended', 'x\n');
    work.git('add', '-N', 'intended');
    inner.put('i', 'ii\n');
    inner.commit('ii');
    gitFolder(at('sub')).git('pull', '-q', inner.at);
    const files = picture();
    expect(Object.keys(files)).not.toContain('far/away');
    const commit = await taken();
    expect(inTree(commit)).toContain('far/away');
    expect(work.git('show', `${commit}:intended`)).toBe('x');
    work.put('d/run.sh', 'spoilt\n');
    rmSync(at('intended'));
    expect(await restoreSnapshot(realGit, work.at, REF, RESCUE)).toMatchObject({ kind: 'restored' });
    expect(picture()).toEqual(files);
    expect(work.git('ls-files', '-v', 'far/away')).toBe('S far/away');
    expect(work.git('ls-files', '-s', 'sub')).toContain(first);
  });

  test('with line ends as git is configured to write them', async () => {
    work.git('config', 'core.autocrlf', 'true');
    work.put('text', 'a\r\nb\r\n');
    work.put('raw.bin', Uint8Array.from([0, 13, 10, 10, 13]));
    await taken();
    const files = picture();
    work.put('text', 'x\r\n');
    work.put('raw.bin', 'x');
    await restoreSnapshot(realGit, work.at, REF, RESCUE);
    expect(picture()).toEqual(files);
  });

  test.skipIf(process.platform !== 'linux')('with a name that is no text', async () => {
    const name = Buffer.concat([Buffer.from(`${work.at}/`), Buffer.from([0x61, 0xff, 0x0a])]);
    writeFileSync(name, 'x\n');
    const files = picture();
    await taken();
    rmSync(name);
    await restoreSnapshot(realGit, work.at, REF, RESCUE);
    expect(picture()).toEqual(files);
  });

  test('what cannot be saved is not written over: a repository in the way', async () => {
    work.put('place/file', 'x\n');
    await taken();
    rmSync(at('place'), { recursive: true });
    const inner = newRepository(at('place/file'));
    inner.put('deep', 'precious\n');
    const restored = await restoreSnapshot(realGit, work.at, REF, RESCUE);
    expect(restored).toMatchObject({ kind: 'refused', why: 'checkout_blocked' });
    expect(readFileSync(at('place/file/deep'), 'utf8')).toBe('precious\n');
  });
});
