import { chmodSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type MergeVerdict, newProbeCache, probeMerges } from '#io/git/merge-probe.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { type GitFolder, newRepository, realGit } from '../../../support/git-folder.ts';
import { pick, seededRandom } from '../../../support/seeded-random.ts';
import { newFolder, removeFolder } from '../../workers/in-folder.ts';
import { merges } from './really-merges.ts';

const pairs = Number(process.env['ROBOSMITH_MERGE_PAIRS'] ?? 100);
const seed = Number(process.env['ROBOSMITH_SEED'] ?? Date.now() % 2 ** 31);
const BRANCHES = 12;
const NAMES = ['a', 'b', 'd/c', 'd/e', 'd/f/g', 'h'];

const listed = ({ git }: GitFolder): readonly string[] =>
  git('ls-files')
    .split('\n')
    .filter((name) => name !== '');

const numbered = (random: () => number): string =>
  Array.from({ length: 12 }, (_, line) => `line ${pick(random, 12) === 0 ? pick(random, 3) : line}\n`).join('');

/** One random change of a file: new text, new name, gone, a folder in its place, other rights. */
function change(folder: GitFolder, random: () => number): void {
  folder.git('add', '-A');
  const files = listed(folder);
  const file = files[pick(random, Math.max(1, files.length))];
  const name = NAMES[pick(random, NAMES.length)]!;
  const what = pick(random, 7);
  if (file === undefined || what === 0) {
    if (!files.some((one) => one.startsWith(`${name}/`) || name.startsWith(`${one}/`)))
      folder.put(name, numbered(random));
  } else if (what === 1) folder.git('rm', '-qf', file);
  else if (what === 2 && !files.some((one) => one.startsWith('new/'))) {
    folder.put('new/.keep', '');
    folder.git('mv', file, `new/${path.basename(file)}`);
  } else if (what === 3) {
    rmSync(path.join(folder.at, file), { recursive: true });
    folder.put(`${file}/inside`, 'x\n');
  } else if (what === 4) chmodSync(path.join(folder.at, file), random() < 0.5 ? 0o755 : 0o644);
  else folder.put(file, numbered(random));
}

function grow(folder: GitFolder, random: () => number): readonly string[] {
  for (const name of NAMES) folder.put(name, numbered(random));
  const commits = [folder.commit('start')];
  for (let index = 0; index < BRANCHES; index += 1) {
    folder.git('checkout', '-qf', '--detach', commits[pick(random, commits.length)]!);
    folder.git('clean', '-qfdx');
    for (let left = 1 + pick(random, 3); left > 0; left -= 1) change(folder, random);
    commits.push(folder.commit(`change ${index}`));
    if (random() < 0.3 && merges(folder, commits.at(-1)!, commits[pick(random, commits.length)]!))
      commits.push(folder.git('rev-parse', 'HEAD'));
  }
  return commits;
}

test(`the probe says what the real merge does (${pairs} pairs, ROBOSMITH_SEED=${seed})`, { timeout: 0 }, async () => {
  verifies('worktrees.probe.same-verdict');
  const random = seededRandom(seed);
  const seen = { clean: 0, conflict: 0 };
  for (let left = pairs; left > 0; left -= 50) {
    const base = await newFolder();
    const folder = newRepository(path.join(base, 'r'));
    const commits = grow(folder, random);
    const asked = Array.from({ length: Math.min(50, left) }, () => ({
      ours: commits[pick(random, commits.length)]!,
      theirs: commits[pick(random, commits.length)]!,
    }));
    const verdicts = (await probeMerges(realGit, folder.at, asked, newProbeCache())) as readonly MergeVerdict[];
    for (const [index, { ours, theirs }] of asked.entries()) {
      const real = merges(folder, ours, theirs) ? 'clean' : 'conflict';
      expect({ ours, theirs, kind: verdicts[index]!.kind }).toEqual({ ours, theirs, kind: real });
      seen[real] += 1;
      const said = verdicts[index]!;
      // An ancestor's merge makes no commit; its tree is the same all the same.
      if (said.kind === 'clean') expect(said.tree).toBe(folder.git('rev-parse', 'HEAD^{tree}'));
    }
    await removeFolder(base);
  }
  console.log(`ROBOSMITH_SEED=${seed}: ${seen.clean} clean, ${seen.conflict} in conflict`);
  expect(Math.min(seen.clean, seen.conflict)).toBeGreaterThan(0);
});
