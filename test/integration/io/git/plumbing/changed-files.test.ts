import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ChangedFiles, changedFiles, dirtyFiles, dirtyIn } from '#io/git/plumbing/changed-files.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { readStatus } from '#io/git/plumbing/read-status.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { type GitFolder, gitFolder, newRepository, realGit } from '../../../../support/git-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let main: GitFolder;
let work: GitFolder;
let start = '';
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({
    committed: 'committed\n',
    staged: 'staged\n',
    edited: 'edited\n',
    gone: 'gone\n',
    theirs: 'theirs\n',
    'old name': 'old name\n',
    '.gitignore': 'ignored\n',
  }));
  start = main.git('rev-parse', 'HEAD');
});
afterEach(() => removeFolder(base));

async function changed(at: string, commit: string, branch: string): Promise<ChangedFiles> {
  const dirty = await dirtyFiles(realGit, at);
  return dirty.kind === 'dirty' ? changedFiles(realGit, at, { commit, branch }, dirty) : dirty;
}

test('commits, staged, edited and untracked files count, and both names of a renamed one', async () => {
  verifies('worktrees.real-overlap');
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
  // A new commit on the base does not count as a change of the session.
  main.put('theirs', 'x\n');
  const moved = main.commit('two');
  const files = [...['committed', 'edited', 'folder/a\n"ü', 'gone', 'inner/', 'new name', 'old name', 'staged']];
  expect(await changed(work.at, start, 'main')).toEqual({ kind: 'changed', files });
  expect(await changed(work.at, moved, 'main')).toEqual({ kind: 'changed', files });
});

test('files in conflict count, and all differs from a base without a common history', async () => {
  work.put('edited', 'mine\n');
  work.commit('mine');
  main.put('edited', 'theirs\n');
  const theirs = main.commit('theirs');
  expect(() => work.git('merge', theirs)).toThrow();
  expect(await changed(work.at, start, 'main')).toMatchObject({ files: ['edited'] });
  main.git('checkout', '-q', '--orphan', 'lone');
  main.git('rm', '-rqf', '.');
  main.put('lone', 'x\n');
  const lone = main.commit('lone');
  expect(await changed(work.at, lone, 'lone')).toMatchObject({
    files: ['.gitignore', 'committed', 'edited', 'gone', 'lone', 'old name', 'staged', 'theirs'],
  });
});

test('what was merged from the base by hand is no change, whatever became of the base', async () => {
  verifies('worktrees.real-overlap');
  const since = (branch: string) => changed(work.at, start, branch);
  work.put('edited', 'mine\n');
  work.commit('mine');
  main.put('theirs', 'x\n');
  main.commit('theirs');
  work.git('merge', '-q', '-m', 'By hand', 'main');
  expect(await since('main')).toEqual({ kind: 'changed', files: ['edited'] });
  main.git('reset', '-q', '--hard', start);
  expect(await since('main')).toEqual({ kind: 'changed', files: ['edited', 'theirs'] });
  expect(await since('gone')).toEqual({ kind: 'changed', files: ['edited', 'theirs'] });
});

test('what is no commit, and a folder without git, are refused', async () => {
  expect(await changed(main.at, '0'.repeat(40), 'main')).toMatchObject({ why: 'missing' });
  expect(await changed(base, start, 'main')).toMatchObject({ why: 'not_a_repository' });
});

test('a base whose name git would take for an option is a commit, and nothing else', async () => {
  const file = path.join(base, 'precious');
  writeFileSync(file, 'precious\n');
  const lone = main.git('commit-tree', '-m', 'Lone', `${start}^{tree}`);
  main.git('update-ref', `refs/tags/--output=${file}`, lone);
  work.put('edited', 'x\n');
  const found = await changed(work.at, `--output=${file}`, 'main');
  expect([found, readFileSync(file, 'utf8')]).toEqual([{ kind: 'changed', files: ['edited'] }, 'precious\n']);
});

test('what is not committed within a submodule is no change, however its status was asked for; another commit is', async () => {
  const inner = newRepository(path.join(base, 'inner'));
  inner.put('own', 'one\n');
  inner.commit('one');
  work.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.at, 'sub');
  work.commit('with a submodule');
  const inside = gitFolder(path.join(work.at, 'sub'));
  const seen = async (): Promise<unknown> => {
    const [own, all] = [await dirtyFiles(realGit, work.at), await dirtyIn(await readStatus(realGit, work.at))];
    expect(all).toEqual(own);
    return own;
  };
  inside.put('own', 'two\n');
  inside.put('new', 'x\n');
  expect(await seen()).toMatchObject({ kind: 'dirty', files: [], changed: [] });
  inside.commit('two');
  expect(await seen()).toMatchObject({ files: ['sub'], changed: ['sub'], gone: [] });
});

test('a worktree without commits of its own costs one git process, also after its base has moved on', async () => {
  verifies('worktrees.real-overlap');
  work.put('edited', 'x\n');
  const commands: string[] = [];
  const counted: Git = (directory, args, options) => {
    commands.push(args[0] ?? '');
    return realGit(directory, args, options);
  };
  const look = async (commit: string, tip: string | null): Promise<ChangedFiles> => {
    const dirty = await dirtyFiles(counted, work.at);
    return dirty.kind === 'dirty' ? changedFiles(counted, work.at, { commit, branch: 'main' }, dirty, tip) : dirty;
  };
  expect(await look(start, null)).toEqual({ kind: 'changed', files: ['edited'] });
  expect(commands.splice(0)).toEqual(['status']);
  // The session's branch was fast-forwarded manually: it is at the tip of the base instead of the commit where the
  // session began.
  main.put('theirs', 'x\n');
  const tip = main.commit('two');
  work.git('merge', '-q', '--ff-only', tip);
  expect(await look(start, tip)).toEqual({ kind: 'changed', files: ['edited'] });
  expect(commands.splice(0)).toEqual(['status']);
  work.commit('own');
  expect(await look(start, tip)).toEqual({ kind: 'changed', files: ['edited'] });
  expect(commands).toEqual(['status', 'merge-base', 'diff-tree']);
});
