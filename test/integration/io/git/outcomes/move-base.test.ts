import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mergeSession, type MergeOutcome } from '#io/git/outcomes/merge-session.ts';
import type { MergeStrategy } from '#io/git/outcomes/build-merge.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { type GitFolder, realGit } from '../../../../support/git-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let main: GitFolder;
let work: GitFolder;
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ a: 'a\n', '.gitignore': 'local.json\ncache/\n' }));
});
afterEach(() => removeFolder(base));

const merge = (strategy: MergeStrategy = 'squash', git = realGit): Promise<MergeOutcome> =>
  mergeSession(git, {
    repository: main.at,
    base: 'main',
    branch: 'work',
    worktree: work.at,
    strategy,
    message: 'Session',
    scratchFolder: path.join(base, 's'),
  });

const read = (name: string): string => readFileSync(path.join(main.at, name), 'utf8');

describe('ignored files of the user', () => {
  test('that the session has committed are in the way, and stay as they are', async () => {
    main.put('local.json', 'of the user\n');
    work.put('.gitignore', 'nothing\n');
    work.put('local.json', 'of the session\n');
    const from = main.git('rev-parse', 'main');
    expect(await merge()).toMatchObject({ kind: 'refused', why: 'checkout_blocked', files: ['local.json'] });
    expect(read('local.json')).toBe('of the user\n');
    expect(main.git('rev-parse', 'main')).toBe(from);
  });

  test('in a folder that the session has made a file of', async () => {
    main.put('cache/x', 'of the user\n');
    work.put('.gitignore', 'local.json\n');
    work.put('cache', 'of the session\n');
    expect(await merge()).toMatchObject({ kind: 'refused', why: 'checkout_blocked' });
    expect(read('cache/x')).toBe('of the user\n');
  });
});

test('a worktree of a check in the background that is removed during the merge does not prevent it', async () => {
  const scratch = path.join(base, 'check');
  main.git('worktree', 'add', '-q', '--detach', scratch);
  const asked: string[] = [];
  const git: Git = async (directory, args, options) => {
    if (directory === scratch && asked.push(directory) === 1) main.git('worktree', 'remove', '--force', scratch);
    return realGit(directory, args, options);
  };
  work.put('b', 'mine\n');
  expect(await merge('squash', git)).toMatchObject({ kind: 'merged', commit: main.git('rev-parse', 'main') });
  expect(asked).toEqual([scratch]);
});

test('git that cannot be started in a worktree that is there still refuses the merge', async () => {
  const scratch = path.join(base, 'check');
  main.git('worktree', 'add', '-q', '--detach', scratch);
  const from = main.git('rev-parse', 'main');
  const git: Git = (directory, args, options) =>
    directory === scratch ? Promise.reject(new Error('git did not start')) : realGit(directory, args, options);
  work.put('b', 'mine\n');
  await expect(merge('squash', git)).rejects.toThrow('git did not start');
  expect(main.git('rev-parse', 'main')).toBe(from);
});

describe('what happens in the checkout of the base meanwhile', () => {
  test.each([
    ['commits', 'test -f version || { echo 2 > version; git add version; git commit -qm bump; }', 'bump\nSession\none'],
    ['amends', 'test -f version || { echo 2 > version; git add version; git commit -q --amend -m bump; }', 'bump\none'],
  ])('a post-merge hook that %s does not undo the merge', async (_, script, subjects) => {
    main.hook('post-merge', script);
    work.put('b', 'mine\n');
    const merged = await merge();
    expect(merged).toMatchObject({ kind: 'merged', commit: main.git('rev-parse', 'main') });
    expect(main.git('log', '--format=%s', 'main')).toBe(subjects);
    expect(work.git('log', '--format=%s')).toBe('Session\none');
    expect(work.git('status', '--porcelain')).toBe('');
  });

  /**
   * Returns a wrapper of git that creates and checks out another branch right before or after the n-th call of this
   * command.
   */
  const switching = (verb: string, count: number, isAfter: boolean): Git => {
    let calls = 0;
    return async (folder, args, options) => {
      if (!args.includes(verb)) return realGit(folder, args, options);
      calls += 1;
      if (calls === count && !isAfter) main.git('switch', '-q', '-c', 'feature');
      const answer = await realGit(folder, args, options);
      if (calls === count && isAfter) main.git('switch', '-q', '-c', 'feature');
      return answer;
    };
  };

  // `git worktree list` is called three times: for the base, for the scratch worktree, and right before the base moves.
  test.each([1, 2, 3])(
    'another branch that is checked out there before the move stays where it is (%d)',
    async (count) => {
      const from = main.git('rev-parse', 'main');
      work.put('b', 'mine\n');
      expect(await merge('squash', switching('list', count, true))).toMatchObject({ kind: 'merged', from });
      expect(main.git('rev-parse', 'feature')).toBe(from);
      expect(main.git('log', '--format=%s', 'main')).toBe('Session\none');
    },
  );

  test('another branch that git has moved in place of the base is named', async () => {
    const from = main.git('rev-parse', 'main');
    work.put('b', 'mine\n');
    const merged = await merge('squash', switching('--ff-only', 1, false));
    expect(merged).toMatchObject({ kind: 'refused', why: 'branch_elsewhere' });
    expect(merged).toMatchObject({ message: expect.stringMatching(/feature.*git reset --keep/s) as string });
    expect(main.git('rev-parse', 'main')).toBe(from);
    main.git('reset', '-q', '--keep', from);
    main.git('switch', '-q', 'main');
    expect(await merge()).toMatchObject({ kind: 'merged' });
  });
});

test('a base that somebody has moved, while git has moved another branch in its place, has not the merge', async () => {
  const from = main.git('rev-parse', 'main');
  work.put('b', 'mine\n');
  const theirs = main.git('commit-tree', '-p', from, '-m', 'theirs', `${from}^{tree}`);
  const busy: Git = async (folder, args, options) => {
    if (args.includes('--ff-only')) {
      main.git('switch', '-q', '-c', 'feature');
      main.git('update-ref', 'refs/heads/main', theirs);
    }
    return realGit(folder, args, options);
  };
  expect(await merge('squash', busy)).toMatchObject({ kind: 'refused', why: 'branch_elsewhere' });
  expect(main.git('rev-parse', 'main')).toBe(theirs);
});

describe('settings of the user', () => {
  test.each(['false', 'only'])('merge.ff=%s', async (value) => {
    main.git('config', 'merge.ff', value);
    for (const strategy of ['squash', 'merge', 'rebase'] as const) {
      main.put(`theirs of ${strategy}`, 'x\n');
      main.commit('theirs');
      work.put(`mine of ${strategy}`, 'x\n');
      expect(await merge(strategy)).toMatchObject({ kind: 'merged' });
      work.git('reset', '-q', '--hard', 'main');
    }
  });

  test.each(['--squash', '--no-commit', '--no-ff --autostash', '-s ours'])('mergeOptions %s', async (options) => {
    main.git('config', 'branch.main.mergeOptions', options);
    work.put('b', 'mine\n');
    expect(await merge()).toMatchObject({ kind: 'merged' });
    expect(main.git('log', '--format=%s', 'main')).toBe('Session\none');
    expect(main.git('status', '--porcelain')).toBe('');
    expect(read('b')).toBe('mine\n');
  });
});
