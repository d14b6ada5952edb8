import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dirtyFiles } from '#io/git/plumbing/changed-files.ts';
import { takeSnapshot } from '#io/git/plumbing/snapshot.ts';
import { workCommit } from '#io/git/plumbing/work-commit.ts';
import { type GitFolder, newRepository, realGit } from '../../../../support/git-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { pick, seed, seededRandom } from '../../../../support/seeded-random.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

const ROUNDS = 15;
const NAMES = ['a', 'b c', 'd/e', 'd/f/g', 'ü\n"', '-x', 'ignored', ':(glob)**'];

let base = '';
let work: GitFolder;
beforeEach(async () => {
  ({ base, work } = await newMainAndWork({
    ...Object.fromEntries(NAMES.map((name) => [name, `${name}\n`])),
    '.gitattributes': '* text=auto\n',
    '.gitignore': 'ignored\n',
  }));
});
afterEach(() => removeFolder(base));

async function commitNow(): Promise<string> {
  const dirty = await dirtyFiles(realGit, work.at);
  const found = dirty.kind === 'dirty' ? await workCommit(realGit, work.at, dirty) : dirty;
  if (found.kind === 'refused') throw new Error(found.message);
  return found.commit;
}

/** Returns the commit of a snapshot whose index was built from all files. */
async function allNow(round: number): Promise<string> {
  const taken = await takeSnapshot(realGit, work.at, `refs/robosmith/test/${round}`, 'all');
  if (taken.kind === 'refused') throw new Error(taken.message);
  return taken.commit;
}

/** Makes one random change that an agent may make to a file. */
function change(random: () => number): void {
  const name = NAMES[pick(random, NAMES.length)]!;
  const file = path.join(work.at, name);
  const tracked = work.git('ls-files', '-z').split('\0');
  rmSync(file, { recursive: true, force: true });
  const ways: readonly (() => void)[] = [
    () => work.put(name, `line ${pick(random, 9)}\r\n`),
    () => undefined,
    () => work.put(`${name}/inside`, 'x\n'),
    () => symlinkSync('nowhere', file),
    () => work.git('--literal-pathspecs', 'rm', '-q', '--cached', '--sparse', '--ignore-unmatch', '-r', '--', name),
    () => {
      work.put(name, 'staged\n');
      work.git('--literal-pathspecs', 'add', '--sparse', '-f', '--', name);
      chmodSync(file, 0o755);
    },
    () => {
      work.put(name, 'unseen\n');
      const flag = random() < 0.5 ? '--assume-unchanged' : '--skip-worktree';
      if (tracked.includes(name)) work.git('update-index', flag, '--', name);
    },
    () => {
      work.put(name, 'meant\n');
      work.git('--literal-pathspecs', 'add', '--sparse', '-f', '-N', '--', name);
    },
  ];
  mkdirSync(path.dirname(file), { recursive: true });
  ways[pick(random, ways.length)]?.();
}

test(`it has all that an index of all files has (ROBOSMITH_SEED=${seed})`, async () => {
  const random = seededRandom(seed);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let left = 1 + pick(random, 4); left > 0; left -= 1) change(random);
    const before = work.git('status', '--porcelain=v2', '--untracked-files=all');
    const trees = [await commitNow(), await allNow(round)].map((commit) => work.git('ls-tree', '-r', '-z', commit));
    // A change that `git status` doesn't show is included only together with a visible change; alone it doesn't count
    // as work.
    if (before !== '') expect([seed, round, trees[0]]).toEqual([seed, round, trees[1]]);
    expect(work.git('status', '--porcelain=v2', '--untracked-files=all')).toBe(before);
    if (random() < 0.2) work.commit(`round ${round}`);
  }
});

test('a repository inside is left out, what is in conflict is as it stands in the files, and the same work is one commit', async () => {
  work.put('a', 'mine\n');
  work.commit('mine');
  work.git('checkout', '-q', '-b', 'other', 'HEAD~1');
  work.put('a', 'theirs\n');
  work.commit('theirs');
  expect(() => work.git('merge', 'work')).toThrow();
  newRepository(path.join(work.at, 'inner')).commit('i');
  const commit = await commitNow();
  expect(work.git('show', `${commit}:a`)).toContain('<<<<<<<');
  expect(work.git('ls-tree', '--name-only', commit, 'inner')).toBe('');
  expect(work.git('rev-parse', `${commit}^@`)).toBe(work.git('rev-parse', 'HEAD'));
  expect(await commitNow()).toBe(commit);
  expect(work.git('ls-files', '--unmerged', 'a')).not.toBe('');
});

test('a file that is gone since git was asked is not in it', async () => {
  work.put('new', 'x\n');
  const dirty = await dirtyFiles(realGit, work.at);
  rmSync(path.join(work.at, 'new'));
  const found = dirty.kind === 'dirty' ? await workCommit(realGit, work.at, dirty) : dirty;
  expect(found.kind).toBe('commit');
  expect(work.git('ls-tree', '--name-only', found.kind === 'commit' ? found.commit : '', 'new')).toBe('');
});
