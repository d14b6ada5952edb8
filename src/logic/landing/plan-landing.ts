import {
  type LandingAnswer,
  type LandingCar,
  type LandingEnd,
  type LandingStep,
  type NotLanded,
  type SuspectedPair,
  UNNAMED_FAILURE,
} from '#protocol/landing.ts';
import { findCause } from './find-cause.ts';
import { type Asking, createTestFacts, type TestFacts } from './test-facts.ts';

interface LandingRequest {
  /** The cars in their order; each comes after those that it needs. */
  readonly cars: readonly LandingCar[];
  /** The maximum number of test runs, from 1. */
  readonly maxRuns: number;
}

/** The number of commits of the base on which a landing is built before it gives up. */
const MOST_BASES = 3;

interface Assembled {
  readonly lands: readonly string[];
  readonly back: ReadonlyMap<string, NotLanded>;
}

/** Takes out the cars that contain another one that is out. */
function takeOutDependents(cars: readonly LandingCar[], back: Map<string, NotLanded>): void {
  for (const { name, needs } of cars) {
    const lost = needs.filter((one) => back.has(one));
    if (lost.length > 0) back.set(name, { kind: 'needs', with: lost });
  }
}

/** Returns the first car that may land after all, because a car that it does not go with is out itself. */
const reopened = (cars: readonly LandingCar[], back: ReadonlyMap<string, NotLanded>): LandingCar | undefined =>
  cars.find(({ name, needs }) => {
    const why = back.get(name);
    if (why === undefined || needs.some((one) => back.has(one))) return false;
    return why.kind === 'needs' || why.with.some((one) => back.has(one));
  });

/** Finds the cars that land together: in their order, each that passes with those before it. */
function* assemble({ cars }: LandingRequest, facts: TestFacts, back: Map<string, NotLanded>): Asking<Assembled> {
  const tried = new Set<string>();
  let suspects: readonly SuspectedPair[] | null = null;
  for (;;) {
    takeOutDependents(cars, back);
    const train = cars.map(({ name }) => name).filter((name) => !back.has(name));
    const built: LandingAnswer = yield { kind: 'build', cars: train };
    const conflicts = built.kind === 'built' ? built.conflicts : [];
    for (const { name, ...conflict } of conflicts) {
      takeOutDependents(cars, back);
      if (back.get(name)?.kind !== 'needs') back.set(name, { kind: 'conflict', ...conflict });
    }
    if (conflicts.length > 0) continue;
    const failures = train.length === 0 ? [] : ((yield* facts.test(train)) ?? []);
    const [test] = failures;
    if (test === undefined) {
      const again = reopened(cars, back);
      const key = JSON.stringify([...train, again?.name]);
      if (again === undefined || tried.has(key)) return { lands: train, back };
      tried.add(key);
      back.delete(again.name);
      continue;
    }
    if (suspects === null) {
      const compared: LandingAnswer = yield { kind: 'compare', cars: train };
      suspects = compared.kind === 'compared' ? compared.suspects : [];
    }
    const cause = yield* findCause({ cars: train, test, suspects, facts });
    if (cause.kind === 'car') back.set(cause.car, { kind: 'breaks', with: cause.with, test });
    else if (cause.kind === 'flaky') yield { kind: 'found', found: { kind: 'flaky', tests: facts.flaky() } };
    else {
      yield { kind: 'found', found: { kind: 'on_base', tests: cause.tests } };
      facts.addToBase(cause.tests);
      if (!cause.tests.includes(UNNAMED_FAILURE)) continue;
      for (const name of train) back.set(name, { kind: 'base_fails', with: [] });
      return { lands: [], back };
    }
  }
}

/** Returns what is known when the limit of test runs is reached. The largest combination that has passed lands. */
function cutOff(train: readonly LandingCar[], facts: TestFacts, known: ReadonlyMap<string, NotLanded>): Assembled {
  const lands = facts.largestGreen();
  const open = train.map(({ name }) => name).filter((name) => !lands.includes(name) && !known.has(name));
  const undecided = open.map((name): readonly [string, NotLanded] => [
    name,
    { kind: 'undecided', with: open.filter((other) => other !== name) },
  ]);
  return { lands, back: new Map([...[...known].filter(([name]) => !lands.includes(name)), ...undecided]) };
}

/**
 * Plans the landing of cars on a base. Yields what has to be built, tested and moved, and gets the results; decides by
 * these alone, so that the same results lead to the same steps after an interruption.
 */
export function* planLanding(request: LandingRequest): Generator<LandingStep, LandingEnd, LandingAnswer> {
  const { cars, maxRuns } = request;
  let runs = 0;
  const flaky = new Set<string>();
  const endOf = ({ back }: Assembled, landed: readonly string[], facts: TestFacts): LandingEnd => ({
    landed,
    back,
    flaky: [...flaky],
    onBase: facts.onBase(),
    runs,
  });
  for (let bases = 1; ; bases += 1) {
    const facts = createTestFacts();
    const back = new Map<string, NotLanded>();
    const work = assemble(request, facts, back);
    let step = work.next();
    while (step.done !== true && !(step.value.kind === 'test' && runs >= maxRuns)) {
      if (step.value.kind === 'test') runs += 1;
      const answer = yield step.value;
      if (answer.kind === 'not_built') runs -= 1;
      step = work.next(answer);
    }
    const found = step.done === true ? step.value : cutOff(cars, facts, back);
    for (const test of facts.flaky()) flaky.add(test);
    if (found.lands.length === 0) return endOf(found, [], facts);
    const moved = yield { kind: 'move', cars: found.lands };
    if (moved.kind === 'moved') return endOf(found, found.lands, facts);
    yield { kind: 'found', found: { kind: 'base_moved' } };
    if (bases === MOST_BASES) {
      const lost = found.lands.map((name): readonly [string, NotLanded] => [name, { kind: 'base_moves', with: [] }]);
      return endOf({ lands: [], back: new Map([...found.back, ...lost]) }, [], facts);
    }
  }
}
