import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeScratches } from '#io/git/outcomes/temporary-worktree.ts';
import { mergeSession, type MergeOutcome, type MergeRequest } from '#io/git/outcomes/merge-session.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { folderPicture } from '../../../../support/folder-picture.ts';
import { type GitFolder, newRepository, realGit } from '../../../../support/git-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let main: GitFolder;
let work: GitFolder;
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ a: 'a\n', b: 'b\n', c: 'c\n' }));
});
afterEach(() => removeFolder(base));

const scratch = (): string => path.join(base, 's');

const merge = (more: Partial<MergeRequest> = {}, git = realGit): Promise<MergeOutcome> =>
  mergeSession(git, {
    repository: main.at,
    base: 'main',
    branch: 'work',
    worktree: work.at,
    strategy: 'squash',
    message: 'Session\n\n#1 kept',
    scratchFolder: scratch(),
    ...more,
  });

/** Returns everything that a refused merge must leave unchanged. */
const state = () => ({
  refs: main.git('for-each-ref'),
  worktrees: main.git('worktree', 'list', '--porcelain'),
  main: [folderPicture(main.at), main.git('status', '--porcelain=v2')],
  work: [folderPicture(work.at), work.git('status', '--porcelain=v2')],
  scratch: existsSync(scratch()) ? readdirSync(scratch()) : [],
});

async function refusal(more: Partial<MergeRequest> = {}, git = realGit): Promise<MergeOutcome> {
  const before = state();
  const merged = await merge(more, git);
  expect(merged.kind).toBe('refused');
  expect(state()).toEqual(before);
  return merged;
}

const log = (revision = 'main'): string => main.git('log', '--format=%s', '--topo-order', revision);

test('changes that are only inside of a submodule are named, not denied', async () => {
  const library = newRepository(path.join(base, 'library'));
  library.put('l', 'l\n');
  library.commit('library');
  const submodule = (at: GitFolder, ...args: readonly string[]) =>
    at.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', ...args);
  submodule(main, 'add', library.at, 'lib');
  main.commit('Add the library');
  work.git('reset', '-q', '--hard', 'main');
  submodule(work, 'update', '--init');
  work.put('lib/l', 'edited\n');
  expect(await merge()).toMatchObject({
    kind: 'refused',
    files: ['lib'],
    message: expect.stringContaining('inside of submodules, which a merge does not commit') as string,
  });
});

test.each(['--skip-worktree', '--assume-unchanged'])(
  'a change that %s hides is named, not denied, and the advised command shows it',
  async (flag) => {
    work.git('update-index', flag, 'a');
    work.put('a', 'hidden\n');
    const refused = await merge();
    expect(refused).toMatchObject({ kind: 'refused', files: ['a'] });
    expect(refused).toMatchObject({ message: expect.stringContaining(flag.replace('--', '--no-')) as string });
    work.git('update-index', flag.replace('--', '--no-'), 'a');
    expect(await merge()).toMatchObject({ kind: 'merged' });
    expect(main.git('show', 'main:a')).toBe('hidden');
  },
);

describe('merged', () => {
  test.each([
    ['squash', 'Session\ntheirs\none'],
    ['merge', 'Session\nSession\nmine\ntheirs\none'],
    ['rebase', 'Session\nmine\ntheirs\none'],
  ] as const)('by %s, with what was not committed, and the checkout of the base has it', async (strategy, subjects) => {
    verifies('worktrees.merge.scratch', 'worktrees.merge.ff-only');
    work.put('a', 'mine\n');
    work.commit('mine');
    work.put('new/file', 'new\n');
    work.put('b', 'edited\n');
    work.git('add', 'b');
    main.put('c', 'theirs\n');
    main.commit('theirs');
    main.put('untracked of the user', 'u\n');
    const from = main.git('rev-parse', 'main');
    const merged = await merge({ strategy });
    expect(merged).toMatchObject({ kind: 'merged', from, commit: main.git('rev-parse', 'main') });
    expect(log()).toBe(subjects);
    expect(folderPicture(main.at)).toEqual({
      a: '- mine\n',
      b: '- edited\n',
      c: '- theirs\n',
      'new/file': '- new\n',
      'untracked of the user': '- u\n',
    });
    expect(main.git('status', '--porcelain')).toBe('?? "untracked of the user"');
    expect(work.git('status', '--porcelain')).toBe('');
    if (strategy !== 'rebase') expect(main.git('log', '-1', '--format=%B')).toBe('Session\n\n#1 kept');
    expect(state().scratch).toEqual([]);
    expect(main.git('worktree', 'list').split('\n')).toHaveLength(2);
    expect(await merge({ strategy })).toMatchObject({ kind: 'refused', why: 'nothing_to_merge' });
  });

  test('when nobody has the base checked out, and when the worktree of the session is gone', async () => {
    work.put('a', 'mine\n');
    const tip = work.commit('mine');
    main.git('checkout', '-q', '--detach');
    main.git('worktree', 'remove', '--force', work.at);
    expect(await merge({ worktree: null })).toMatchObject({ kind: 'merged', tip });
    expect(log()).toBe('Session\none');
    expect(readFileSync(path.join(main.at, 'a'), 'utf8')).toBe('a\n');
  });

  test('without the state of a held session, in the middle of its history or at its end', async () => {
    verifies('worktrees.merge.no-state');
    for (const strategy of ['merge', 'squash', 'rebase'] as const) {
      main.git('checkout', '-q', 'main');
      work.git('checkout', '-q', '-B', 'work', 'main');
      work.put(`${strategy} 1`, 'x\n');
      work.commit(`${strategy} before`);
      work.put('.robo/session.json', '{}');
      work.commit('state');
      work.put('.robo/session.json', '{"n":1}');
      work.put(`${strategy} 2`, 'x\n');
      work.git('add', '-A');
      work.git('-c', 'user.name=Other', 'commit', '-qm', `${strategy} after`);
      work.put('.robo/session.json', '{"n":2}');
      expect(await merge({ strategy })).toMatchObject({ kind: 'merged' });
      expect(main.git('log', '--all', '--format=%s', '--', '.robo')).toContain('state');
      expect(main.git('log', 'main', '--format=%s', '--full-history', '--', '.robo')).toBe('');
      expect(existsSync(path.join(main.at, '.robo'))).toBe(false);
      expect(existsSync(path.join(main.at, `${strategy} 2`))).toBe(true);
    }
    expect(main.git('log', 'main', '--format=%an %s', '--grep=after')).toBe('Other rebase after\nOther merge after');
  });

  test('whatever the user has configured of merges, and without what rerere knows', async () => {
    for (const [key, value] of [
      ['merge.ff', 'only'],
      ['merge.autoStash', 'true'],
      ['rebase.autoStash', 'true'],
      ['rebase.updateRefs', 'true'],
      ['rebase.autoSquash', 'true'],
      ['rerere.enabled', 'true'],
      ['rerere.autoUpdate', 'true'],
      ['commit.template', '/nowhere/template'],
      ['commit.cleanup', 'strip'],
      ['commit.verbose', 'true'],
      ['core.autocrlf', 'input'],
    ] as const)
      main.git('config', key, value);
    work.put('a', 'mine\n');
    work.commit('fixup! one');
    main.put('b', 'dirty, of the user\n');
    main.put('c', 'theirs\n');
    main.git('add', 'c');
    main.git('commit', '-qm', 'theirs');
    expect(await merge({ strategy: 'merge' })).toMatchObject({ kind: 'merged' });
    expect(main.git('log', '-1', '--format=%P').split(' ')).toHaveLength(2);
    expect(main.git('log', '-1', '--format=%B')).toContain('#1 kept');
    expect(main.git('status', '--porcelain')).toBe(' M b');
    expect(main.git('stash', 'list')).toBe('');
  });

  test('with a merge driver of the local config it is a plain commit', async () => {
    main.put('.gitattributes', 'a merge=ours\n');
    main.commit('attributes');
    work.git('reset', '-q', '--hard', 'main');
    main.git('config', 'merge.ours.driver', 'true');
    work.put('a', 'mine\n');
    main.put('a', 'theirs\n');
    main.commit('theirs');
    work.put('b', 'mine\n');
    expect(await merge()).toMatchObject({ kind: 'merged' });
    expect(main.git('show', 'main:a')).toBe('theirs');
    expect(
      main
        .git('cat-file', '-p', 'main')
        .split('\n')
        .filter((line) => line.startsWith('parent')),
    ).toHaveLength(1);
  });

  test('hooks of the commit run, and what runs after the move cannot undo it', async () => {
    const note = (name: string) => `echo ${name} >> "$(git rev-parse --path-format=absolute --git-common-dir)/ran"`;
    for (const name of ['pre-commit', 'commit-msg', 'post-checkout', 'pre-push']) main.hook(name, note(name));
    main.hook('post-merge', `${note('post-merge')}; exit 1`);
    work.put('a', 'mine\n');
    expect(await merge()).toMatchObject({ kind: 'merged' });
    expect(readFileSync(path.join(main.at, '.git/ran'), 'utf8').trim().split('\n')).toEqual([
      ...['pre-commit', 'commit-msg', 'pre-commit', 'commit-msg', 'post-merge'],
    ]);
  });

  test('after the base has moved while its tests ran, on the base as it is then', async () => {
    work.put('a', 'mine\n');
    const seen: string[] = [];
    const verify = (folder: string): Promise<null> => {
      seen.push(Object.keys(folderPicture(folder)).join());
      if (seen.length === 1) {
        main.put('late', 'x\n');
        main.commit('late');
      }
      return Promise.resolve(null);
    };
    expect(await merge({ verify })).toMatchObject({ kind: 'merged' });
    expect(seen).toEqual(['a,b,c', 'a,b,c,late']);
    expect(log()).toBe('Session\nlate\none');
  });
});

describe('refused, and all is as it was', () => {
  test.each(['squash', 'merge', 'rebase'] as const)('a conflict, by %s', async (strategy) => {
    verifies('worktrees.merge.refused');
    work.put('a', 'mine\n');
    work.put('b', 'mine\n');
    work.git('add', 'b');
    main.put('a', 'theirs\n');
    main.put('b', 'theirs\n');
    main.commit('theirs');
    expect(await refusal({ strategy })).toMatchObject({ why: 'conflict', files: ['a', 'b'] });
  });

  test('files of the user that the merge would write over, tracked or not, are listed', async () => {
    work.put('a', 'mine\n');
    work.put('new', 'mine\n');
    main.put('a', 'dirty\n');
    expect(await refusal()).toMatchObject({ why: 'checkout_blocked', files: ['a'] });
    main.git('checkout', '-q', 'a');
    main.put('new', 'untracked of the user\n');
    expect(await refusal()).toMatchObject({ why: 'checkout_blocked', files: ['new'] });
  });

  test('tests that fail, and tests that throw', async () => {
    work.put('a', 'mine\n');
    const failed = await refusal({ verify: () => Promise.resolve('3 tests failed') });
    expect(failed).toMatchObject({
      why: 'verify_failed',
      message: expect.stringContaining('3 tests failed') as string,
    });
    const before = state();
    await expect(merge({ verify: () => Promise.reject(new Error('boom')) })).rejects.toThrow('boom');
    expect(state()).toEqual(before);
  });

  test('a base that always moves', async () => {
    work.put('a', 'mine\n');
    let count = 0;
    const verify = (): Promise<null> => {
      count += 1;
      main.commit(`late ${count}`);
      return Promise.resolve(null);
    };
    expect(await merge({ verify })).toMatchObject({ kind: 'refused', why: 'base_moved' });
    expect(count).toBe(3);
    expect(log()).toBe('late 3\nlate 2\nlate 1\none');
  });

  test('a base that is missing, behind its remote, or checked out twice', async () => {
    verifies('worktrees.merge.said-before');
    work.put('a', 'mine\n');
    expect(await refusal({ base: 'none' })).toMatchObject({ why: 'missing' });
    expect(await refusal({ base: '--force' })).toMatchObject({ why: 'missing' });
    main.git('clone', '-q', '--bare', main.at, path.join(base, 'remote'));
    main.git('remote', 'add', 'origin', path.join(base, 'remote'));
    const ahead = main.commit('ahead');
    main.git('push', '-q', '-u', 'origin', 'main');
    main.git('reset', '-q', '--hard', `${ahead}^`);
    const message = 'main lacks 1 commit of its remote branch. Pull, and merge again';
    expect(await refusal()).toMatchObject({ why: 'base_behind', message });
    main.git('branch', '-q', '--unset-upstream');
    main.git('worktree', 'add', '-q', '--force', path.join(base, 'twice'), 'main');
    expect(await refusal()).toMatchObject({ why: 'base_ambiguous' });
    expect(await merge({ base: 'work' })).toMatchObject({ kind: 'refused', why: 'nothing_to_merge' });
  });

  test('a base that is being rebased', async () => {
    main.put('a', 'x\n');
    main.commit('x');
    work.put('a', 'y\n');
    work.commit('y');
    work.put('b', 'z\n');
    expect(() => main.git('rebase', 'work')).toThrow();
    expect(await refusal()).toMatchObject({ why: 'base_ambiguous' });
  });

  test('a worktree with conflicts, another branch, a merge under way, a repository inside', async () => {
    newRepository(path.join(work.at, 'inner')).commit('i');
    expect(await refusal()).toMatchObject({ why: 'work_not_saved', files: ['inner/'] });
    renameSync(path.join(work.at, 'inner'), path.join(base, 'inner'));
    work.put('a', 'mine\n');
    work.commit('mine');
    main.put('a', 'theirs\n');
    main.commit('theirs');
    expect(() => work.git('merge', 'main')).toThrow();
    expect(await refusal()).toMatchObject({ why: 'merge_under_way', files: ['a'] });
    work.git('add', 'a');
    expect(await refusal()).toMatchObject({ why: 'merge_under_way' });
    work.git('merge', '--abort');
    work.git('checkout', '-q', '--detach');
    expect(await refusal()).toMatchObject({ why: 'branch_elsewhere' });
  });

  test('a hook that refuses, or hangs, and none when they are left out', async () => {
    work.put('a', 'mine\n');
    main.hook('pre-commit', 'echo "no such thing" >&2; exit 1');
    const said = await refusal();
    expect(said).toMatchObject({ why: 'hook_refused', message: expect.stringContaining('no such thing') as string });
    main.hook('pre-commit', 'test "$(git rev-parse --abbrev-ref HEAD)" = work || exit 1');
    expect(await refusal()).toMatchObject({ why: 'hook_refused' });
    main.hook('pre-commit', 'sleep 1000');
    const impatient: Git = (folder, args, options) =>
      realGit(folder, args, args.includes('commit') ? { ...options, timeoutMs: 300 } : options);
    expect(await refusal({}, impatient)).toMatchObject({ why: 'timed_out' });
    expect(await merge({ hooks: false })).toMatchObject({ kind: 'merged' });
  });

  test('a signature that cannot be made, and an identity that is not there', async () => {
    work.put('a', 'mine\n');
    main.git('config', 'commit.gpgSign', 'true');
    main.git('config', 'gpg.program', '/bin/false');
    expect(await refusal()).toMatchObject({ why: 'signing_failed' });
    main.git('config', 'commit.gpgSign', 'false');
    for (const key of ['user.name', 'user.email']) main.git('config', '--unset', key);
    main.git('config', 'user.useConfigOnly', 'true');
    expect(await refusal()).toMatchObject({ why: 'identity_missing' });
  });

  test('a lock that a killed git has left is told with its age', async () => {
    work.put('a', 'mine\n');
    main.put('.git/index.lock', '');
    const said = await refusal();
    expect(said).toMatchObject({
      why: 'locked_by_git',
      message: expect.stringMatching(/index\.lock \(it is \d+ s old\)/) as string,
    });
  });

  test('a scratch folder that cannot be made; and what a killed merge has left there is removed', async () => {
    work.put('a', 'mine\n');
    expect(await refusal({ scratchFolder: path.join(main.at, 'a/s') })).toMatchObject({ why: 'git_failed' });
    main.git('worktree', 'add', '-q', '--detach', path.join(scratch(), 'left'));
    expect(await removeScratches(realGit, main.at, scratch(), () => false)).toBe(0);
    expect(await removeScratches(realGit, main.at, scratch())).toBe(1);
    expect(readdirSync(scratch())).toEqual([]);
    expect(main.git('worktree', 'list').split('\n')).toHaveLength(2);
  });
});
