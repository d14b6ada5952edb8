import path from 'node:path';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mergeSession } from '#io/git/outcomes/merge-session.ts';
import { updateFromBase } from '#io/git/outcomes/update-from-base.ts';
import { markedByMerge } from '#io/git/plumbing/marked-by-merge.ts';
import { newProbeCache, probeMerges } from '#io/git/plumbing/merge-probe.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { folderPicture } from '../../../../support/folder-picture.ts';
import { type GitFolder, realGit } from '../../../../support/git-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

const module = (name: string): string => Array.from({ length: 20 }, (_, line) => `${line} ${name}\n`).join('');
const changed = (line: string): string => module('one').replace('7 one\n', `${line}\n`);

let base = '';
let main: GitFolder;
let work: GitFolder;
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ 'module.py': module('one'), other: 'o\n' }));
});
afterEach(() => removeFolder(base));

/**
 * Makes the session move the module to a path at which the base creates an empty file. Both change the same line of the
 * module.
 */
function collide(): void {
  rmSync(path.join(work.at, 'module.py'));
  work.put('package/__init__.py', changed('of the session'));
  work.commit('mine');
  main.put('module.py', changed('of the base'));
  main.put('package/__init__.py', '');
  main.commit('theirs');
}

/**
 * Returns true if git's own merge reports no conflict although it writes conflict markers. Later versions of git may
 * not do so.
 */
function gitForgets(): boolean {
  main.git('checkout', '-q', '--detach');
  try {
    main.git('merge', '-q', '--no-edit', 'work');
    return main.git('show', 'HEAD:package/__init__.py').includes('<<<<<<<');
  } catch {
    main.git('merge', '--abort');
    return false;
  } finally {
    main.git('checkout', '-q', 'main');
  }
}

describe('a merge that git calls clean, with markers of a conflict in a file', () => {
  beforeEach(collide);

  test('is a conflict to the probe, with its text', async () => {
    verifies('worktrees.probe.same-verdict');
    const [verdict] = (await probeMerges(realGit, main.at, [{ ours: 'main', theirs: 'work' }], newProbeCache())) as [
      object,
    ];
    expect(verdict).toMatchObject({
      kind: 'conflict',
      files: ['module.py', 'package/__init__.py'],
      messages: [{ type: 'CONFLICT (rename involved in collision)' }],
      hunks: [{ file: 'package/__init__.py', line: 8, text: expect.stringContaining('of the session') as string }],
    });
  });

  test.each(['squash', 'merge', 'rebase'] as const)('never reaches the base, by %s', async (strategy) => {
    verifies('worktrees.nothing-lost');
    const before = [main.git('for-each-ref'), folderPicture(main.at), folderPicture(work.at)];
    const request = { repository: main.at, base: 'main', branch: 'work', worktree: work.at, strategy, message: 'm' };
    const merged = await mergeSession(realGit, { ...request, scratchFolder: path.join(base, 's') });
    expect(merged).toMatchObject({ kind: 'refused', why: 'conflict', files: ['package/__init__.py'] });
    expect([main.git('for-each-ref'), folderPicture(main.at), folderPicture(work.at)]).toEqual(before);
  });

  test('is taken back by an update, and what was not committed stays', async ({ skip }) => {
    skip(!gitForgets(), 'this git sees the conflict itself');
    work.put('other', 'not committed\n');
    const before = [work.git('rev-parse', 'HEAD'), folderPicture(work.at), work.git('status', '--porcelain')];
    const request = { worktree: work.at, branch: 'work', base: 'main', snapshotRef: 'refs/robosmith/rescue/s1/1' };
    const updated = await updateFromBase(realGit, request);
    expect(updated).toMatchObject({
      kind: 'refused',
      why: 'conflict',
      files: ['package/__init__.py'],
      message: expect.stringContaining('git merge --no-commit main') as string,
    });
    expect([work.git('rev-parse', 'HEAD'), folderPicture(work.at), work.git('status', '--porcelain')]).toEqual(before);
  });
});

test('markers that one side has itself are its own', async () => {
  work.put('fixture', '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n');
  const ours = work.commit('a fixture');
  main.put('other', 'theirs\n');
  const theirs = main.commit('theirs');
  work.git('merge', '-q', '--no-edit', 'main');
  const merge = work.git('rev-parse', 'HEAD');
  expect(await markedByMerge(realGit, work.at, { ours, theirs }, merge)).toEqual([]);
  expect(await markedByMerge(realGit, work.at, { ours: theirs, theirs: ours }, merge)).toEqual([]);
  expect(await markedByMerge(realGit, work.at, { ours, theirs: 'nothing' }, merge)).toEqual([]);
  expect(await markedByMerge(realGit, work.at, { ours: 'nothing', theirs }, merge)).toMatchObject({ kind: 'refused' });
});
