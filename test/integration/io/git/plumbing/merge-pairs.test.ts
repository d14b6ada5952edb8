import path from 'node:path';
import { expect, test } from 'vitest';
import { type MergeVerdict, newProbeCache, probeMerges } from '#io/git/plumbing/merge-probe.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { newRepository, realGit } from '../../../../support/git-folder.ts';
import { growHistory } from '../../../../support/random-history.ts';
import { pick, seed, seededRandom } from '../../../../support/seeded-random.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';
import { merges } from '../../../../support/really-merges.ts';

const pairs = Number(process.env['ROBOSMITH_MERGE_PAIRS'] ?? 100);

test(`the probe says what the real merge does (${pairs} pairs, ROBOSMITH_SEED=${seed})`, { timeout: 0 }, async () => {
  verifies('worktrees.probe.same-verdict');
  const random = seededRandom(seed);
  const seen = { clean: 0, conflict: 0 };
  for (let left = pairs; left > 0; left -= 50) {
    const base = await newFolder();
    const folder = newRepository(path.join(base, 'r'));
    const commits = growHistory(folder, random);
    const some = (): string => commits[pick(random, commits.length)]!;
    const asked = [
      { ours: commits.at(-2)!, theirs: commits.at(-1)! },
      ...Array.from({ length: Math.min(50, left) }, () => ({ ours: some(), theirs: some() })),
    ];
    const verdicts = (await probeMerges(realGit, folder.at, asked, newProbeCache())) as readonly MergeVerdict[];
    for (const [index, { ours, theirs }] of asked.entries()) {
      const real = merges(folder, ours, theirs) ? 'clean' : 'conflict';
      expect({ ours, theirs, kind: verdicts[index]!.kind }).toEqual({ ours, theirs, kind: real });
      seen[real] += 1;
      const said = verdicts[index]!;
      // Merging an ancestor creates no commit, but the resulting tree is that of HEAD.
      if (said.kind === 'clean') expect(said.tree).toBe(folder.git('rev-parse', 'HEAD^{tree}'));
    }
    await removeFolder(base);
  }
  console.log(`ROBOSMITH_SEED=${seed}: ${seen.clean} clean, ${seen.conflict} in conflict`);
  expect(Math.min(seen.clean, seen.conflict)).toBeGreaterThan(0);
});
