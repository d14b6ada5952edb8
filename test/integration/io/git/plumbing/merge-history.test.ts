import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type MergeVerdict, newProbeCache, probeMerges } from '#io/git/plumbing/merge-probe.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { gitFolder, realGit } from '../../../../support/git-folder.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';
import { merges } from '../../../../support/really-merges.ts';

const BUNDLE = fileURLToPath(new URL('../../../../samples/histories/commander.bundle', import.meta.url));

test('the probe says of each merge of a public history what the real merge does', async () => {
  verifies('worktrees.probe.same-verdict');
  const base = await newFolder();
  const folder = gitFolder(base);
  folder.git('clone', '-q', '--branch', 'main2018', BUNDLE, '.');
  const all = folder
    .git('rev-list', '--merges', '--parents', 'HEAD')
    .split('\n')
    .flatMap((line) => {
      const [, ours, theirs, ...more] = line.split(' ');
      return ours === undefined || theirs === undefined || more.length > 0 ? [] : [{ ours, theirs }];
    });
  expect(all.length).toBeGreaterThan(150);
  const verdicts = (await probeMerges(realGit, folder.at, all, newProbeCache())) as readonly MergeVerdict[];
  const seen = { clean: 0, conflict: 0 };
  for (const [index, { ours, theirs }] of all.entries()) {
    const real = merges(folder, ours, theirs) ? 'clean' : 'conflict';
    const said = verdicts[index]!;
    expect({ ours, theirs, kind: said.kind }).toEqual({ ours, theirs, kind: real });
    if (said.kind === 'clean') expect(said.tree).toBe(folder.git('rev-parse', 'HEAD^{tree}'));
    seen[real] += 1;
  }
  console.log(`${all.length} merges of a public history: ${seen.clean} clean, ${seen.conflict} in conflict`);
  await removeFolder(base);
});
