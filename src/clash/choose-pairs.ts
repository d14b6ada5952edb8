import { type Refusal, refused } from '#io/git/plumbing/refusal.ts';
import type { ReadOnlyRepository } from '#io/git/readonly/open-repository.ts';
import { commitNamed, revisionSide, type Side } from './sides.ts';

export interface SidePair {
  readonly one: Side;
  readonly other: Side;
}

interface Chosen {
  readonly sides: readonly Side[];
  readonly pairs: readonly SidePair[];
  /** True if the user named the sides, so that each pair is reported, whatever its result. */
  readonly isExplicit: boolean;
}

/** Returns the side that a user means: by its name, its folder, the folder's last part, or the end of its branch. */
function sideNamed(name: string, sides: readonly Side[]): readonly Side[] {
  const tests: readonly ((side: Side) => boolean)[] = [
    (side) => side.name === name || side.id === name,
    ({ path }) => path !== null && path.replace(/[\\/]+$/, '') === name.replace(/[\\/]+$/, ''),
    ({ path }) => path !== null && path.split(/[\\/]/).at(-1) === name,
    ({ branch }) => branch !== null && branch.split('/').at(-1) === name,
  ];
  for (const test of tests) {
    const found = sides.filter(test);
    if (found.length > 0) return found;
  }
  return [];
}

async function resolve(name: string, sides: readonly Side[], repository: ReadOnlyRepository): Promise<Side | Refusal> {
  const [found, second] = sideNamed(name, sides);
  if (found !== undefined && second !== undefined)
    return refused('missing', `"${name}" can mean ${found.name} or ${second.name}. Give the whole name`);
  if (found !== undefined) return found;
  const commit = await commitNamed(repository, name);
  return commit === null
    ? refused('missing', `there is no worktree, branch or commit "${name}"`)
    : revisionSide(name, commit);
}

/** Returns the pairs to compare: all sides with each other and with their bases, or those of the named sides only. */
export async function choosePairs(
  sides: readonly Side[],
  only: readonly string[],
  repository: ReadOnlyRepository,
): Promise<Chosen | Refusal> {
  const named: Side[] = [];
  for (const name of only) {
    const side = await resolve(name, sides, repository);
    if ('kind' in side && side.kind === 'refused') return side;
    if ('id' in side) named.push(side);
  }
  const [one, other] = named;
  if (one !== undefined && other !== undefined)
    return one.id === other.id
      ? refused('missing', `"${one.name}" is both sides. Give two different ones`)
      : { sides: named, pairs: [{ one, other }], isExplicit: true };
  const work = sides.filter(({ isBase }) => !isBase);
  const all = work.flatMap((side, index): readonly SidePair[] => [
    ...work.slice(index + 1).map((next) => ({ one: side, other: next })),
    ...sides.filter(({ id, isBase }) => isBase && id === side.base).map((base) => ({ one: side, other: base })),
  ]);
  if (one === undefined) return { sides, pairs: all, isExplicit: false };
  const others = sides.filter(({ id }) => id !== one.id).map((next) => ({ one, other: next }));
  const among = sides.some(({ id }) => id === one.id) ? sides : [...sides, one];
  return { sides: among, pairs: others, isExplicit: true };
}
