import { chmodSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildMerge, type MergeStrategy } from '#io/git/outcomes/build-merge.ts';
import { type MergeOutcome, mergeSession } from '#io/git/outcomes/merge-session.ts';
import { withScratch } from '#io/git/outcomes/temporary-worktree.ts';
import type { Refusal } from '#io/git/plumbing/refusal.ts';
import { atOnce } from '#io/files/serialise.ts';
import { type GitFolder, newRepository, realGit } from '../../../../support/git-folder.ts';
import { growHistory } from '../../../../support/random-history.ts';
import { pick, seed, seededRandom } from '../../../../support/seeded-random.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

const PAIRS = 20;
const STRATEGIES: readonly MergeStrategy[] = ['squash', 'merge', 'rebase'];

let base = '';
let main: GitFolder;
beforeEach(async () => {
  base = await newFolder();
  main = newRepository(path.join(base, 'r'));
});
afterEach(() => removeFolder(base));

const scratches = (): string => path.join(base, 'scratch');

/** Returns the tree that the merge created, or the refusal. */
async function built(strategy: MergeStrategy, ours: string, theirs: string, hasFiles: boolean) {
  const commit = strategy === 'rebase' ? theirs : ours;
  const place = { repository: main.at, scratchFolder: scratches(), commit, hasFiles, serialise: atOnce };
  const made: string | Refusal = await withScratch(realGit, place, (folder, own) =>
    buildMerge(own, folder, ours, theirs, { strategy, message: 'Session', hooks: true }),
  );
  return typeof made === 'string' ? main.git('rev-parse', `${made}^{tree}`) : made;
}

test(`comes to what it does in a whole checkout (ROBOSMITH_SEED=${seed})`, { timeout: 300_000 }, async () => {
  const random = seededRandom(seed);
  const commits = growHistory(main, random);
  const seen = { merged: 0, refused: 0 };
  const some = (): string => commits[pick(random, commits.length)]!;
  const certain = [
    { ours: commits.at(-2)!, theirs: commits.at(-1)! },
    { ours: commits[0]!, theirs: commits[1]! },
  ];
  const pairs = Array.from({ length: PAIRS }, () => ({ ours: some(), theirs: some() }));
  for (const { ours, theirs } of [...certain, ...pairs]) {
    const strategy = STRATEGIES[pick(random, STRATEGIES.length)]!;
    const whole = await built(strategy, ours, theirs, true);
    expect([strategy, ours, theirs, await built(strategy, ours, theirs, false)]).toEqual([
      ...[strategy, ours, theirs, whole],
    ]);
    seen[typeof whole === 'string' ? 'merged' : 'refused'] += 1;
  }
  expect(Math.min(seen.merged, seen.refused)).toBeGreaterThan(0);
});

/**
 * Changes the same line of each file on both sides. The git attributes of `list` require a union merge, which keeps
 * both lines.
 */
function twoSides(): void {
  for (const folder of ['', 'deep/down/']) {
    main.put(`${folder}list`, 'one\n');
    main.put(`${folder}code`, 'one\n');
  }
  main.put('.gitattributes', '/list merge=union\n');
  main.put('deep/.gitattributes', 'list merge=union\n');
  main.commit('start');
  main.git('branch', 'work');
  for (const [branch, text] of [
    ['main', 'ours\n'],
    ['work', 'theirs\n'],
  ] as const) {
    main.git('switch', '-q', branch);
    for (const name of ['list', 'deep/down/list']) main.put(name, `one\n${text}`);
    main.put(`only ${branch}`, text);
    main.commit(branch);
  }
  main.git('switch', '-q', 'main');
}

const merge = (more: object = {}): Promise<MergeOutcome> =>
  mergeSession(realGit, {
    repository: main.at,
    base: 'main',
    branch: 'work',
    worktree: null,
    strategy: 'squash',
    message: 'Session',
    scratchFolder: scratches(),
    ...more,
  });

test('the attributes of all folders hold, and no setting of the repository is another one afterwards', async () => {
  twoSides();
  const before = [main.git('config', '--list', '--local'), main.git('status', '--porcelain')];
  expect(await merge()).toMatchObject({ kind: 'merged' });
  for (const name of ['list', 'deep/down/list']) expect(main.git('show', `main:${name}`)).toBe('one\nours\ntheirs');
  expect([main.git('config', '--list', '--local'), main.git('status', '--porcelain')]).toEqual(before);
  expect(main.git('ls-tree', '-r', '--name-only', 'main').split('\n')).toContain('only work');
});

test.each([
  ['a hook', () => main.hook('pre-commit', 'ls > "$(git rev-parse --git-common-dir)/seen"')],
  [
    'a program that merges',
    () => {
      main.git('config', 'merge.ours.driver', 'ls > "$(git rev-parse --git-common-dir)/seen"');
      main.put('deep/.gitattributes', 'list merge=ours\n');
      main.commit('driver');
    },
  ],
])('%s finds all files', async (_, set) => {
  twoSides();
  set();
  expect(await merge()).toMatchObject({ kind: 'merged' });
  const seen = readFileSync(path.join(main.at, '.git/seen'), 'utf8');
  expect(seen.split('\n')).toEqual(expect.arrayContaining(['deep', 'code', 'only main']));
});

test('a hook that comes with the files of the base runs, also where no checkout has them', async () => {
  twoSides();
  main.put('.githooks/pre-commit', '#!/bin/sh\nls > "$(git rev-parse --git-common-dir)/seen"\n');
  chmodSync(path.join(main.at, '.githooks/pre-commit'), 0o755);
  main.commit('hooks');
  main.git('config', 'core.hooksPath', '.githooks');
  main.git('switch', '-q', '--detach', 'HEAD~1');
  expect(await merge()).toMatchObject({ kind: 'merged' });
  expect(readFileSync(path.join(main.at, '.git/seen'), 'utf8').split('\n')).toContain('deep');
});
