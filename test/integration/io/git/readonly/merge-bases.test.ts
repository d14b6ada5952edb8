import { expect, test } from 'vitest';
import { readHistory } from '#io/git/readonly/merge-bases.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';
import { pick, seed, seededRandom } from '../../../../support/seeded-random.ts';

/** Makes commits whose parents are chosen at random, so that criss-cross merges and several roots occur. */
function randomCommits(repository: Repository, random: () => number): readonly string[] {
  const tree = repository.git(['rev-parse', 'HEAD^{tree}']);
  const commits: string[] = [];
  const any = (): string => commits[pick(random, commits.length)] ?? '';
  for (let index = 0; index < 24; index += 1) {
    const count = index === 0 || random() < 0.04 ? 0 : random() < 0.45 ? 2 : 1;
    const parents = [...new Set(Array.from({ length: count }, any))].filter((one) => one !== '');
    commits.push(repository.git(['commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-m', String(index)]));
  }
  return commits;
}

test('the best common ancestors of any two commits are those of git, in any history', async () => {
  const repository = await newRepository();
  const random = seededRandom(seed);
  console.log(`ROBOSMITH_SEED=${seed}`);
  for (let round = 0; round < 4; round += 1) {
    const commits = randomCommits(repository, random);
    const tips = commits.filter(() => random() < 0.35);
    const history = await readHistory(realGit, repository.root, tips);
    if ('kind' in history) throw new Error(history.message);
    for (const one of tips)
      for (const other of tips) {
        const { out } = await realGit(repository.root, ['merge-base', '--all', one, other]);
        const { out: ahead } = await realGit(repository.root, ['rev-list', '--count', one, `^${other}`]);
        expect([...history.bases(one, other)].sort()).toEqual(out.split('\n').filter(Boolean).sort());
        expect(history.ahead(one, other)).toBe(Number(ahead));
      }
  }
  await repository.end();
});
