import type { ConflictingCar } from '#protocol/landing.ts';
import type { Git } from '../plumbing/git.ts';
import { quietly } from '../plumbing/quiet-git.ts';
import { type Refusal, whyFailed } from '../plumbing/refusal.ts';
import type { Serialise } from '../../files/serialise.ts';
import { buildMerge } from './build-merge.ts';
import { runsPrograms } from './merge-session.ts';
import { withScratch } from './temporary-worktree.ts';

/** A branch as it will be merged. */
interface TrainCar {
  readonly name: string;
  /** The commit that is merged, as a full hash. */
  readonly tip: string;
  /** The message of its commit on the base. */
  readonly message: string;
}

/** Cars merged in order onto a base, with one commit for each. */
interface BuiltTrain {
  readonly kind: 'built';
  /** The last commit; the base's own if no car has changed anything. */
  readonly commit: string;
  readonly conflicts: readonly ConflictingCar[];
}

interface TrainBuilder {
  /** Merges cars in order onto a commit. A car that git can't merge, or that a hook refuses, is left out. */
  build(base: string, cars: readonly TrainCar[]): Promise<BuiltTrain | Refusal>;
}

interface TrainParts {
  readonly repository: string;
  readonly scratchFolder: string;
  readonly serialise: Serialise;
  /** Runs the hooks that may refuse a commit; true by default. */
  readonly hooks?: boolean;
}

/** The reasons for which a single car is left out. Any other refusal ends the whole build. */
const OF_ONE_CAR: ReadonlySet<Refusal['why']> = new Set(['conflict', 'hook_refused', 'unrelated_histories'] as const);

/**
 * Returns the cars of a train that a car can't be merged with; none if the base alone is enough, all if it takes several
 * of them.
 */
async function partnersOf(
  git: Git,
  repository: string,
  base: string,
  car: TrainCar,
  train: readonly TrainCar[],
): Promise<readonly string[]> {
  const merges = async (one: string): Promise<boolean> =>
    (await git(repository, ['merge-tree', '--write-tree', '--no-messages', one, car.tip])).ok;
  if (!(await merges(base))) return [];
  const found: string[] = [];
  for (const { name, tip } of train) if (!(await merges(tip))) found.push(name);
  return found.length > 0 ? found : train.map(({ name }) => name);
}

/** Creates a builder that remembers what it has built, so that combinations with the same beginning are built once. */
export function createTrainBuilder(
  git: Git,
  { repository, scratchFolder, serialise, hooks = true }: TrainParts,
): TrainBuilder {
  const known = new Map<string, string>();
  const keyOf = (base: string, train: readonly TrainCar[]): string => [base, ...train.map(({ tip }) => tip)].join(' ');

  return {
    build: async (base, cars) => {
      let done = cars.length;
      while (done > 0 && !known.has(keyOf(base, cars.slice(0, done)))) done -= 1;
      const start = done === 0 ? base : (known.get(keyOf(base, cars.slice(0, done))) ?? base);
      if (done === cars.length) return { kind: 'built', commit: start, conflicts: [] };
      const hasFiles = await runsPrograms(git, repository);
      const place = { repository, scratchFolder, commit: start, hasFiles, serialise };
      return withScratch(git, place, async (scratch, own): Promise<BuiltTrain | Refusal> => {
        const train = cars.slice(0, done);
        const conflicts: ConflictingCar[] = [];
        let commit = start;
        for (const car of cars.slice(done)) {
          const style = { strategy: 'squash', message: car.message, hooks } as const;
          const made = await buildMerge(own, scratch, commit, car.tip, style);
          if (typeof made === 'string') commit = made;
          else if (made.why !== 'nothing_to_merge') {
            if (!OF_ONE_CAR.has(made.why)) return made;
            const others = made.why === 'conflict' ? await partnersOf(git, repository, base, car, train) : [];
            conflicts.push({ name: car.name, with: others, files: made.files, why: made.message });
            const reset = await quietly(own, scratch, ['reset', '-q', '--hard', commit]);
            if (!reset.ok) return whyFailed(reset, "can't undo a merge in a temporary worktree");
            await quietly(own, scratch, ['clean', '-ffdxq']);
            continue;
          }
          train.push(car);
          known.set(keyOf(base, train), commit);
        }
        return { kind: 'built', commit, conflicts };
      });
    },
  };
}
