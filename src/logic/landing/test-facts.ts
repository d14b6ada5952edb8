import { type LandingAnswer, type LandingStep, UNNAMED_FAILURE } from '#protocol/landing.ts';

export type Asking<Result> = Generator<LandingStep, Result, LandingAnswer>;

interface Tested {
  readonly cars: readonly string[];
  /** The failures of each run on these files. */
  readonly runs: (readonly string[])[];
}

const keyOf = (cars: readonly string[]): string => JSON.stringify(cars);

/** Returns the failures that all runs have. What has passed once on the same files is no failure of the files. */
const lasting = ({ runs: [first = [], ...others] }: Tested): readonly string[] =>
  first.filter((test) => others.every((failures) => failures.includes(test)));

/** The results of tests of combinations of cars on one commit of the base. */
export interface TestFacts {
  /** Returns the failures of a combination that the base lacks, and tests it first if that is new; null: not built. */
  test(cars: readonly string[]): Asking<readonly string[] | null>;
  /** Tests a combination once more. */
  repeat(cars: readonly string[]): Asking<void>;
  /**
   * Returns whether a failure was seen twice: in two combinations with a car (null: with or without cars) if it has a
   * name, else in the given combination.
   */
  isSeenTwice(test: string, car: string | null, cars: readonly string[]): boolean;
  /** Records that the base has these failures. */
  addToBase(tests: readonly string[]): void;
  onBase(): readonly string[];
  flaky(): readonly string[];
  /** Returns the largest combination without failures; empty if none is known. */
  largestGreen(): readonly string[];
}

export function createTestFacts(): TestFacts {
  const tested = new Map<string, Tested>();
  const unbuildable = new Set<string>();
  const base = new Set<string>();
  const ofCars = (one: Tested): readonly string[] => lasting(one).filter((test) => !base.has(test));

  function* run(cars: readonly string[]): Asking<void> {
    const answer = yield { kind: 'test', cars };
    const known = tested.get(keyOf(cars)) ?? { cars, runs: [] };
    if (answer.kind === 'tested') tested.set(keyOf(cars), { cars, runs: [...known.runs, answer.failures] });
    else unbuildable.add(keyOf(cars));
  }

  return {
    *test(cars) {
      if (!tested.has(keyOf(cars)) && !unbuildable.has(keyOf(cars))) yield* run(cars);
      const known = tested.get(keyOf(cars));
      return known === undefined ? null : ofCars(known);
    },
    repeat: run,
    isSeenTwice: (test, car, cars) => {
      if ((tested.get(keyOf(cars))?.runs.length ?? 0) > 1) return true;
      const seen = [...tested.values()].filter(
        (one) => (car === null || one.cars.includes(car)) && lasting(one).includes(test),
      );
      return test !== UNNAMED_FAILURE && seen.length > 1;
    },
    addToBase: (tests) => {
      for (const test of tests) base.add(test);
    },
    onBase: () => [...base],
    flaky: () => {
      const all = [...tested.values()].flatMap((one) => {
        const failures = new Set(lasting(one));
        return one.runs.flat().filter((test) => !failures.has(test));
      });
      return [...new Set(all)];
    },
    largestGreen: () => {
      const green = [...tested.values()].filter((one) => ofCars(one).length === 0);
      return green.reduce<readonly string[]>((best, { cars }) => (cars.length > best.length ? cars : best), []);
    },
  };
}
