import {
  type ConflictingCar,
  type LandingAnswer,
  type LandingStep,
  type SuspectedPair,
  UNNAMED_FAILURE,
} from '../../../src/protocol/landing.ts';
import { pick } from '../../support/seeded-random.ts';

/** Cars that fail a test, or that git can't merge, as soon as all of them are together. */
interface Planted {
  readonly cars: readonly string[];
  readonly test: string;
}

/** A repository with planted faults. Everything else passes. */
export interface World {
  readonly cars: readonly { readonly name: string; readonly needs: readonly string[] }[];
  readonly breaks: readonly Planted[];
  readonly conflicts: readonly (readonly string[])[];
  /** Tests that the base fails. */
  readonly onBase: readonly string[];
  /** The numbers of the test runs in which another test fails, at most once on the same files. */
  readonly flakyRuns: ReadonlySet<number>;
  /** How often the base moves before it can be moved. */
  readonly baseMoves: number;
  /** True if failures have no names. */
  readonly isUnnamed: boolean;
}

const subset = (random: () => number, names: readonly string[], size: number): readonly string[] => {
  const left = [...names];
  const taken = Array.from({ length: Math.min(size, left.length) }, () => left.splice(pick(random, left.length), 1)[0]);
  return names.filter((name) => taken.includes(name));
};

/** Returns a random world of 1 to 12 cars. */
export function randomWorld(random: () => number): World {
  const names = Array.from({ length: 1 + pick(random, 12) }, (_, index) => `c${index + 1}`);
  const many = (most: number): number => (pick(random, 2) === 0 ? 0 : pick(random, most + 1));
  const planted = (most: number): readonly (readonly string[])[] =>
    Array.from({ length: many(most) }, () => subset(random, names, 1 + pick(random, 3)));
  const hasStacks = pick(random, 4) === 0;
  const flaky = Array.from({ length: many(3) }, () => 1 + pick(random, 12));
  return {
    cars: names.map((name, index) => ({
      name,
      needs: hasStacks && index > 0 && pick(random, 3) === 0 ? [names[pick(random, index)] ?? ''] : [],
    })),
    breaks: planted(3).map((cars, index) => ({ cars, test: `test ${index}` })),
    conflicts: planted(2),
    onBase: pick(random, 6) === 0 ? ['test of the base'] : [],
    flakyRuns: new Set(flaky),
    baseMoves: pick(random, 5) === 0 ? 1 + pick(random, 2) : 0,
    isUnnamed: pick(random, 3) === 0,
  };
}

/** Returns the cars together with those whose commits they contain. */
function contained({ cars }: World, names: readonly string[]): readonly string[] {
  const all = new Set(names);
  for (const { name, needs } of [...cars].reverse()) if (all.has(name)) for (const one of needs) all.add(one);
  return cars.map(({ name }) => name).filter((name) => all.has(name));
}

const isIn = (some: readonly string[], all: readonly string[]): boolean => some.every((name) => all.includes(name));

const nameIn = ({ isUnnamed }: World, test: string): string => (isUnnamed ? UNNAMED_FAILURE : test);

/** Returns the failures that a combination has in every run. */
export function failuresOf(world: World, cars: readonly string[]): readonly string[] {
  const all = contained(world, cars);
  const broken = world.breaks.filter((one) => isIn(one.cars, all)).map(({ test }) => test);
  return [...new Set([...world.onBase, ...broken].map((test) => nameIn(world, test)))];
}

export const isInConflict = (world: World, cars: readonly string[]): boolean =>
  world.conflicts.some((one) => isIn(one, contained(world, cars)));

function build(world: World, cars: readonly string[]): readonly ConflictingCar[] {
  const train: string[] = [];
  const found: ConflictingCar[] = [];
  for (const name of cars) {
    const conflict = world.conflicts.find((one) => one.includes(name) && isIn(one, contained(world, [...train, name])));
    if (conflict === undefined && !isInConflict(world, [...train, name])) train.push(name);
    else
      found.push({ name, with: (conflict ?? train).filter((one) => one !== name), files: ['file'], why: 'conflict' });
  }
  return found;
}

/** Answers the steps of a landing as the world would. */
export function createRepository(world: World, suspects: readonly SuspectedPair[]) {
  let runs = 0;
  let moves = 0;
  const flaked = new Set<string>();
  return {
    runs: () => runs,
    answer: (step: LandingStep): LandingAnswer => {
      if (step.kind === 'build') return { kind: 'built', conflicts: build(world, step.cars) };
      if (step.kind === 'compare') return { kind: 'compared', suspects };
      if (step.kind !== 'test') return (moves += 1) > world.baseMoves ? { kind: 'moved' } : { kind: 'base_moved' };
      if (isInConflict(world, step.cars)) return { kind: 'not_built' };
      runs += 1;
      const tree = step.cars.join();
      const isFlaky = world.flakyRuns.has(runs) && !flaked.has(tree);
      if (isFlaky) flaked.add(tree);
      const flaky = isFlaky ? [nameIn(world, `flaky ${runs}`)] : [];
      return { kind: 'tested', failures: [...new Set([...failuresOf(world, step.cars), ...flaky])] };
    },
  };
}

/** Returns the cars that the rules let land: in order, each that goes with those before it. */
export function naiveLanding(world: World): readonly string[] {
  if (world.isUnnamed && world.onBase.length > 0) return [];
  const own = failuresOf(world, []);
  const landed: string[] = [];
  for (const { name, needs } of world.cars) {
    const all = [...landed, name];
    const isGreen = failuresOf(world, all).every((test) => own.includes(test));
    if (isIn(needs, landed) && !isInConflict(world, all) && isGreen) landed.push(name);
  }
  return landed;
}
