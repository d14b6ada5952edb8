import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changedFiles } from '#io/git/changed-files.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { gitFolder, type GitFolder, newRepository, realGit } from '../../../support/git-folder.ts';
import { newFolder, removeFolder } from '../../workers/in-folder.ts';

let base = '';
let repository: GitFolder;
let start = '';
beforeEach(async () => {
  base = await newFolder();
  repository = newRepository(path.join(base, 'r'));
  for (const name of ['committed', 'staged', 'edited', 'gone', 'old name', 'theirs']) repository.put(name, `${name}\n`);
  repository.put('.gitignore', 'ignored\n');
  start = repository.commit('one');
  repository.git('worktree', 'add', '-q', '-b', 'work', path.join(base, 'w'));
});
afterEach(() => removeFolder(base));

test('commits, staged, edited and untracked files count, and both names of a renamed one', async () => {
  verifies('worktrees.real-overlap');
  const work = gitFolder(path.join(base, 'w'));
  work.put('committed', 'x\n');
  work.git('mv', 'old name', 'new name');
  work.put('.robo/session.json', '{}');
  work.commit('work');
  work.put('staged', 'x\n');
  work.git('add', 'staged');
  work.put('edited', 'x\n');
  rmSync(path.join(work.at, 'gone'));
  work.put('folder/a\n"ü', 'x\n');
  work.put('ignored', 'x\n');
  mkdirSync(path.join(work.at, 'empty'));
  newRepository(path.join(work.at, 'inner')).commit('i');
  work.git('config', 'status.showUntrackedFiles', 'no');
  work.git('config', 'diff.relative', 'true');
  // The base goes on, and that is no change of the session.
  repository.put('theirs', 'x\n');
  const moved = repository.commit('two');
  const files = [...['committed', 'edited', 'folder/a\n"ü', 'gone', 'inner/', 'new name', 'old name', 'staged']];
  expect(await changedFiles(realGit, work.at, start)).toEqual({ kind: 'changed', files });
  expect(await changedFiles(realGit, work.at, moved)).toEqual({ kind: 'changed', files });
});

test('files in conflict count, and all differs from a base without a common history', async () => {
  const work = gitFolder(path.join(base, 'w'));
  work.put('edited', 'mine\n');
  work.commit('mine');
  repository.put('edited', 'theirs\n');
  const theirs = repository.commit('theirs');
  expect(() => work.git('merge', theirs)).toThrow();
  expect(await changedFiles(realGit, work.at, start)).toMatchObject({ files: ['edited'] });
  repository.git('checkout', '-q', '--orphan', 'lone');
  repository.git('rm', '-rqf', '.');
  repository.put('lone', 'x\n');
  const lone = repository.commit('lone');
  expect(await changedFiles(realGit, work.at, lone)).toMatchObject({
    files: ['.gitignore', 'committed', 'edited', 'gone', 'lone', 'old name', 'staged', 'theirs'],
  });
});

test('what is no commit, and a folder without git, are refused', async () => {
  expect(await changedFiles(realGit, repository.at, '0'.repeat(40))).toMatchObject({ why: 'missing' });
  expect(await changedFiles(realGit, base, start)).toMatchObject({ why: 'not_a_repository' });
});
