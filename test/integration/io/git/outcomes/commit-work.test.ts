import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commitWork, rollBackCommit } from '#io/git/outcomes/commit-work.ts';
import { mergeSession } from '#io/git/outcomes/merge-session.ts';
import { folderPicture } from '../../../../support/folder-picture.ts';
import { type GitFolder, realGit } from '../../../../support/git-folder.ts';
import { killedAfter } from '../../../../support/killed-git.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

const KEY = 'Own-Key-0011223344556677';

let base = '';
let main: GitFolder;
let work: GitFolder;
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ a: 'a\n' }));
});
afterEach(() => removeFolder(base));

const commit = (git = realGit) =>
  commitWork(git, {
    worktree: work.at,
    branch: 'work',
    base: 'main',
    message: 'Work',
    hooks: true,
    hasKey: (text) => text.includes(KEY),
  });

const gitPath = (name: string): string => work.git('rev-parse', '--path-format=absolute', '--git-path', name);

/**
 * Prepares one file that is staged and edited again, one that is staged, one added with `git add -N`, and one that is
 * untracked.
 */
function intricate(): void {
  work.put('a', 'staged\n');
  work.put('b', 'b\n');
  work.git('add', 'a', 'b');
  work.put('a', 'edited\n');
  work.put('intended', 'i\n');
  work.git('add', '-N', 'intended');
  work.put('untracked', 'u\n');
}

const state = () => ({
  head: work.git('rev-parse', 'HEAD'),
  index: [work.git('ls-files', '-s'), work.git('status', '--porcelain=v2')],
  files: folderPicture(work.at),
});

describe('refused, and branch, index and files are as they were', () => {
  test("one of the user's keys, also in a commit that the base lacks; not where the base has it", async () => {
    work.put('made', `key = ${KEY}\n`);
    work.git('add', 'made');
    work.git('commit', '-q', '-m', 'by an agent');
    work.put('b', `\0${KEY}`);
    const before = state();
    expect(await commit()).toMatchObject({ kind: 'refused', why: 'known_key', files: ['made', 'b'] });
    expect(state()).toEqual(before);
    work.put('made', 'key = process.env.KEY\n');
    work.put('b', '');
    expect(await commit()).toMatchObject({ kind: 'committed' });
  });

  test('a lock of the index', async () => {
    intricate();
    const before = state();
    writeFileSync(gitPath('index.lock'), '');
    expect(await commit()).toMatchObject({ kind: 'refused', why: 'locked_by_git' });
    rmSync(gitPath('index.lock'));
    expect(state()).toEqual(before);
  });

  test.each([
    ['untracked', () => undefined],
    ['staged', () => void work.git('add', '--all')],
  ])('new files that are named as secrets: %s', async (_, prepare) => {
    work.put('.env', 'SECRET=x\n');
    work.put('.env.example', 'SECRET=\n');
    work.put('deploy/id_ed25519', 'x\n');
    prepare();
    const before = state();
    expect(await commit()).toMatchObject({
      kind: 'refused',
      why: 'work_not_saved',
      files: ['.env', 'deploy/id_ed25519'],
    });
    expect(state()).toEqual(before);
    // Now a person commits those files.
    work.git('add', '--all');
    work.git('commit', '-qm', 'Mine');
    work.put('.env', 'SECRET=y\n');
    expect(await commit()).toMatchObject({ kind: 'committed' });
  });

  test('a hook, whatever it has staged itself', async () => {
    main.hook('pre-commit', 'git rm -q --cached b; echo x >> untracked; git add untracked; echo no >&2; exit 1');
    intricate();
    const before = state();
    expect(await commit()).toMatchObject({ kind: 'refused', why: 'hook_refused' });
    expect(state()).toEqual({ ...before, files: { ...before.files, untracked: '- u\nx\n' } });
    expect(readdirSync(path.dirname(gitPath('index'))).filter((name) => /^index./.test(name))).toEqual([]);
  });

  test('a hook that has left a lock: all is staged, and that is said', async () => {
    main.hook('pre-commit', `touch "$GIT_INDEX_FILE.lock"; exit 1`);
    intricate();
    const head = work.git('rev-parse', 'HEAD');
    expect(await commit()).toMatchObject({ message: expect.stringContaining('all changes are staged now') as string });
    const lock = gitPath('index.lock');
    expect(existsSync(lock)).toBe(true);
    rmSync(lock);
    expect(work.git('rev-parse', 'HEAD')).toBe(head);
    expect(work.git('status', '--porcelain')).toBe('M  a\nA  b\nA  intended\nA  untracked');
  });
});

test('wherever it is cut off, what a person commits next takes nothing of the work back', async () => {
  let isWhole = false;
  for (let last = 1; !isWhole; last += 1) {
    expect(last).toBeLessThan(40);
    const begin = work.git('rev-parse', 'HEAD');
    work.put('a', `${last}\n`);
    isWhole = await commit(killedAfter(last)).then(
      ({ kind }) => kind === 'committed',
      () => false,
    );
    const isCommitted = work.git('rev-parse', 'HEAD') !== begin;
    work.put(`of the user ${last}`, 'x\n');
    work.git('add', `of the user ${last}`);
    work.git('commit', '-qm', 'of the user');
    if (isCommitted) expect(work.git('show', 'HEAD:a')).toBe(`${last}`);
    expect(await commit()).toMatchObject({ kind: 'committed' });
    expect(work.git('status', '--porcelain')).toBe('');
    expect(work.git('show', 'HEAD:a')).toBe(`${last}`);
  }
});

test('an index that is not as the files and the branch are is brought there, and back when nothing was merged', async () => {
  work.put('a', 'staged\n');
  work.git('add', 'a');
  work.put('a', 'a\n');
  const before = state();
  const request = { repository: main.at, base: 'main', branch: 'work', worktree: work.at, message: 'm' };
  const scratch = { strategy: 'squash', scratchFolder: path.join(base, 's') } as const;
  expect(await mergeSession(realGit, { ...request, ...scratch })).toMatchObject({ why: 'nothing_to_merge' });
  expect(state()).toEqual(before);
  expect(await commit()).toMatchObject({ kind: 'committed', commit: before.head });
  expect(work.git('status', '--porcelain')).toBe('');
});

test('a commit on which somebody has gone on is not taken back, and neither is what it has', async () => {
  work.put('b', 'b\n');
  const committed = await commit();
  if (committed.kind === 'refused') throw new Error(committed.message);
  work.put('c', 'c\n');
  const next = work.commit('next');
  await rollBackCommit(realGit, work.at, 'work', committed);
  expect(state()).toMatchObject({ head: next, index: [expect.stringContaining('\tb\n') as string, ''] });
});
