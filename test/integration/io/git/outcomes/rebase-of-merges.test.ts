import { afterEach, beforeEach, expect, test } from 'vitest';
import { mergeSession, type MergeOutcome, type MergeRequest } from '#io/git/outcomes/merge-session.ts';
import { type GitFolder, realGit } from '../../../../support/git-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

/**
 * These tests cover the rebase of a session that has merged its base: the rebase skips the merge commit and keeps the
 * session's other commits.
 */

let base = '';
let main: GitFolder;
let work: GitFolder;
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ a: 'a\n', b: 'b\n' }));
});
afterEach(() => removeFolder(base));

const merge = (strategy: MergeRequest['strategy']): Promise<MergeOutcome> =>
  mergeSession(realGit, {
    repository: main.at,
    base: 'main',
    branch: 'work',
    worktree: work.at,
    strategy,
    message: 'Session',
    scratchFolder: `${base}/s`,
  });

const refusal = { kind: 'refused', why: 'conflict', message: expect.stringContaining('--strategy squash') as string };

const showsOnMain = (file: string): string => main.git('show', `main:${file}`);

test('what a merge has changed is not lost without a word', async () => {
  work.put('own', 'own\n');
  work.commit('own');
  main.put('a', 'theirs\n');
  main.commit('theirs');
  work.git('merge', '-q', '--no-commit', '--no-ff', 'main');
  work.put('b', 'fits both\n');
  work.commit('Update');
  const before = main.git('rev-parse', 'main');
  expect(await merge('rebase')).toMatchObject({ ...refusal, files: ['b'] });
  expect(main.git('rev-parse', 'main')).toBe(before);
  expect([await merge('squash'), showsOnMain('b')]).toMatchObject([{ kind: 'merged' }, 'fits both']);
});

test('what was resolved is in conflict again, and the way on is another strategy', async () => {
  work.put('a', 'mine\n');
  work.commit('mine');
  main.put('a', 'theirs\n');
  main.commit('theirs');
  expect(await merge('rebase')).toMatchObject({ message: expect.stringContaining('Update the session') as string });
  expect(() => work.git('merge', '-q', 'main')).toThrow();
  work.put('a', 'both\n');
  work.commit('Update');
  expect(await merge('rebase')).toMatchObject({ ...refusal, files: ['a'] });
  expect([await merge('merge'), showsOnMain('a')]).toMatchObject([{ kind: 'merged' }, 'both']);
});

test('merges that have changed nothing by themselves hinder nobody', async () => {
  work.put('own', 'own\n');
  work.commit('own');
  main.put('a', 'theirs\n');
  main.commit('theirs');
  work.git('merge', '-q', '--no-edit', 'main');
  expect([await merge('rebase'), showsOnMain('own')]).toMatchObject([{ kind: 'merged' }, 'own']);
});
