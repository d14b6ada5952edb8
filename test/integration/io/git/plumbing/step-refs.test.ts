import { afterEach, beforeEach, expect, test } from 'vitest';
import { newestStep, removeStepRefs, stepRef } from '#io/git/plumbing/step-refs.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { type GitFolder, newRepository, realGit } from '../../../../support/git-folder.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let folder: GitFolder;
let commits: readonly string[] = [];
beforeEach(async () => {
  base = await newFolder();
  folder = newRepository(base);
  commits = Array.from({ length: 11 }, (_, index) => folder.commit(String(index + 1)));
  for (const [index, commit] of commits.entries()) folder.git('update-ref', stepRef('r1', index + 1), commit);
});
afterEach(() => removeFolder(base));

const refs = (): readonly string[] => folder.git('for-each-ref', '--format=%(refname)', 'refs/robosmith').split('\n');

test('the newest step is the one with the highest number, of this run alone', async () => {
  folder.git('update-ref', stepRef('r11', 30), 'HEAD~5');
  expect(await newestStep(realGit, base, 'r1')).toMatchObject({ number: 11, commit: commits[10] });
  expect(await newestStep(realGit, base, 'r2')).toEqual({ number: 0, commit: null });
});

test('steps of runs that are gone go, and no others', async () => {
  verifies('engine.snapshots.pruned');
  folder.git('update-ref', stepRef('r11', 30), 'HEAD');
  expect(await removeStepRefs(realGit, base, (run) => run === 'r1')).toEqual(new Map());
  expect(refs()).toEqual([stepRef('r11', 30)]);
});
