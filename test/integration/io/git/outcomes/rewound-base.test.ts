import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type MergeOutcome, mergeSession, type MergeRequest } from '#io/git/outcomes/merge-session.ts';
import { updateFromBase } from '#io/git/outcomes/update-from-base.ts';
import { type GitFolder, realGit } from '../../../../support/git-folder.ts';
import { removeFolder } from '../../../../support/in-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';

let base = '';
let main: GitFolder;
let work: GitFolder;
let dropped = '';
/** Creates a base with the commit "secret", and a session that starts from it. */
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ a: 'a\n', b: 'b\n' }));
  main.put('secret', 'secret\n');
  dropped = main.commit('secret');
  work.git('reset', '-q', '--hard', 'main');
  work.put('a', 'mine\n');
  work.commit('mine');
});
afterEach(() => removeFolder(base));

const merge = (more: Partial<MergeRequest> = {}): Promise<MergeOutcome> =>
  mergeSession(realGit, {
    repository: main.at,
    base: 'main',
    branch: 'work',
    fork: { commit: dropped, time: 0 },
    worktree: work.at,
    strategy: 'squash',
    message: 'Session',
    scratchFolder: path.join(base, 's'),
    ...more,
  });

const nameOf = (commit: string): string => main.git('log', '-1', '--format=%h "%s"', commit);

/**
 * Returns the git commands that a refusal contains in backquotes, each as arguments: the first is for the worktree, the
 * second for the base.
 */
const advice = (merged: MergeOutcome): readonly (readonly string[])[] =>
  merged.kind === 'refused'
    ? [...merged.message.matchAll(/`git ([^`]+)`/g)].map(([, command = '']) => command.split(' '))
    : [];

describe('the base was rewound since the session started', () => {
  test.each(['squash', 'merge', 'rebase'] as const)('a merge by %s is refused, and nothing moves', async (strategy) => {
    main.git('reset', '-q', '--hard', 'HEAD~1');
    const refs = main.git('for-each-ref');
    expect(await merge({ strategy })).toMatchObject({
      kind: 'refused',
      why: 'base_rewound',
      message: expect.stringContaining(
        `main has dropped a commit since the session started, up to ${nameOf(dropped)}`,
      ) as string,
    });
    expect(main.git('for-each-ref')).toBe(refs);
  });

  test('the first command of the advice leaves the dropped commit out', async () => {
    main.git('reset', '-q', '--hard', 'HEAD~1');
    work.put('b', 'not committed\n');
    const [leave = []] = advice(await merge());
    work.git(...leave);
    expect(await merge()).toMatchObject({ kind: 'merged' });
    expect(main.git('ls-tree', '--name-only', 'main')).toBe('a\nb');
    expect(main.git('show', 'main:b')).toBe('not committed');
  });

  test('the second one brings it back', async () => {
    main.git('reset', '-q', '--hard', 'HEAD~1');
    main.put('b', 'theirs\n');
    main.commit('theirs');
    const [, bring = []] = advice(await merge());
    main.git(...bring);
    expect(await merge()).toMatchObject({ kind: 'merged' });
    expect(main.git('ls-tree', '--name-only', 'main')).toBe('a\nb\nsecret');
  });

  test('a commit that came with an update counts, too', async () => {
    main.put('later', 'later\n');
    const later = main.commit('later');
    const snapshotRef = 'refs/robosmith/rescue/x';
    expect(
      await updateFromBase(realGit, { worktree: work.at, branch: 'work', base: 'main', snapshotRef }),
    ).toMatchObject({ kind: 'updated' });
    main.git('reset', '-q', '--hard', dropped);
    expect(await merge()).toMatchObject({
      why: 'base_rewound',
      message: expect.stringContaining(`--onto main ${later}\``) as string,
    });
  });
});

describe('no content comes back', () => {
  test('the same change is in another commit, as after a rebase', async () => {
    main.git('reset', '-q', '--hard', 'HEAD~1');
    main.put('b', 'theirs\n');
    main.commit('theirs');
    main.git('cherry-pick', dropped);
    expect(await merge()).toMatchObject({ kind: 'merged' });
  });

  test('the base went back further, and forward again', async () => {
    main.git('reset', '-q', '--hard', 'HEAD~1');
    main.git('reset', '-q', '--hard', dropped);
    expect(await merge()).toMatchObject({ kind: 'merged' });
  });

  test('a person has merged the session, and has undone that', async () => {
    main.git('merge', '-q', 'work');
    main.git('reset', '-q', '--hard', dropped);
    expect(await merge()).toMatchObject({ kind: 'merged' });
  });

  test('work that was moved from the base to the branch before the session started', async () => {
    main.git('reset', '-q', '--hard', 'HEAD~1');
    const start = main.git('rev-parse', 'main');
    expect(await merge({ fork: { commit: start, time: Date.now() + 10_000 } })).toMatchObject({ kind: 'merged' });
  });
});
