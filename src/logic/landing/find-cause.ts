import type { SuspectedPair } from '#protocol/landing.ts';
import type { Asking, TestFacts } from './test-facts.ts';

/** Why a combination of cars fails a test. */
type Cause =
  | { readonly kind: 'car'; readonly car: string; readonly with: readonly string[] }
  /** The base fails the test without any car. */
  | { readonly kind: 'base'; readonly tests: readonly string[] }
  /** The failure went away when the same files were tested again. */
  | { readonly kind: 'flaky' };

interface Search {
  /** The cars that fail together, in their order. */
  readonly cars: readonly string[];
  readonly test: string;
  readonly suspects: readonly SuspectedPair[];
  readonly facts: TestFacts;
}

const inOrder = ({ cars }: Search, wanted: readonly string[]): readonly string[] =>
  cars.filter((name) => wanted.includes(name));

function* fails({ facts, test }: Search, cars: readonly string[]): Asking<boolean> {
  return (yield* facts.test(cars))?.includes(test) === true;
}

/**
 * Returns the smallest number of first items with which the test fails. It is known to fail with all of them; a
 * combination that can't be built counts as one that passes.
 */
function* fewest(search: Search, items: readonly string[], others: readonly string[]): Asking<number> {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (yield* fails(search, inOrder(search, [...items.slice(0, middle), ...others]))) high = middle;
    else low = middle + 1;
  }
  return high;
}

/**
 * Looks for one car with which another one fails the test, by halves: where the first half passes, the partner is
 * assumed in the second one. Returns null if that does not lead to a pair, because it takes more cars, or none.
 */
function* guessPartner(search: Search, car: string, before: readonly string[]): Asking<string | null> {
  let left = before;
  let hasPassed = false;
  while (left.length > 1) {
    const half = left.slice(0, Math.floor(left.length / 2));
    const isIn = yield* fails(search, inOrder(search, [...half, car]));
    left = isIn ? half : left.slice(half.length);
    hasPassed ||= !isIn;
  }
  const [partner] = left;
  if (partner === undefined || !(yield* fails(search, inOrder(search, [partner, car])))) return null;
  return hasPassed || !(yield* fails(search, [car])) ? partner : null;
}

/** Returns the fewest other cars with which a car fails the test. It is known to fail with all of `before`. */
function* findPartners(search: Search, car: string, before: readonly string[]): Asking<readonly string[]> {
  const { suspects } = search;
  const suspected = suspects.flatMap(([one, other]) => (one === car ? [other] : other === car ? [one] : []));
  const first = suspected.find((name) => before.includes(name));
  const likely = first === undefined ? null : yield* guessPartner(search, car, [first]);
  const partner = likely ?? (yield* guessPartner(search, car, before));
  if (partner !== null) return [partner];
  let left = before;
  let found: readonly string[] = [];
  while (!(yield* fails(search, inOrder(search, [...found, car])))) {
    const count = yield* fewest(search, left, [...found, car]);
    const last = left[count - 1];
    if (last === undefined) break;
    found = [last, ...found];
    left = left.slice(0, count - 1);
  }
  return inOrder(search, found);
}

/** Returns the first pair of suspects that fails the test, in the order of the cars. Only the likeliest is tried. */
function* failingPair(search: Search): Asking<readonly [string, string] | null> {
  const { cars, suspects } = search;
  const pair = suspects.find((names) => names.every((name) => cars.includes(name)));
  if (pair === undefined || cars.length < 3) return null;
  const [one, other] = inOrder(search, pair);
  return one !== undefined && other !== undefined && (yield* fails(search, [one, other])) ? [one, other] : null;
}

/** Returns the failures of the base itself, after a second test if one alone proves nothing; null: it passes the test. */
function* failuresOfBase(search: Search): Asking<readonly string[] | null> {
  const { facts, test } = search;
  if (!(yield* fails(search, []))) return null;
  if (!facts.isSeenTwice(test, null, [])) yield* facts.repeat([]);
  return (yield* fails(search, [])) ? yield* facts.test([]) : null;
}

/**
 * Finds the first car with which a test fails, and the fewest earlier cars that it takes. No car is blamed for a
 * failure that was seen only once, or that the base has as well.
 */
export function* findCause(search: Search): Asking<Cause> {
  const { cars, test, facts } = search;
  const pair = yield* failingPair(search);
  const count = pair === null ? yield* fewest(search, cars, []) : cars.indexOf(pair[1]) + 1;
  const car = cars[count - 1];
  const failing = cars.slice(0, count);
  if (car !== undefined && pair === null && !facts.isSeenTwice(test, car, failing)) {
    yield* facts.repeat(failing);
    if (!(yield* fails(search, failing))) return { kind: 'flaky' };
  }
  const before = pair === null ? cars.slice(0, Math.max(0, count - 1)) : [pair[0]];
  const partners = car === undefined ? [] : yield* findPartners(search, car, before);
  if (car === undefined || (pair !== null && partners.length === 0)) {
    const tests = yield* failuresOfBase(search);
    if (tests !== null) return { kind: 'base', tests };
    if (car === undefined) return { kind: 'flaky' };
  }
  const smallest = inOrder(search, [...partners, car]);
  if (!facts.isSeenTwice(test, car, smallest)) yield* facts.repeat(smallest);
  if (!(yield* fails(search, smallest))) return { kind: 'flaky' };
  yield { kind: 'found', found: { kind: 'cause', car, with: partners, test } };
  return { kind: 'car', car, with: partners };
}
