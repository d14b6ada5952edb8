import type { CrashCase } from './crash-cases.ts';
import type { Plan } from './history.ts';
import { type Conduct, CONDUCTS, isOnce } from './job.ts';
import type { FindReference } from './reference.ts';

/** Returns a generator of numbers in [0, 1), reproducible for a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Maximum number of kills in a history whose script answers halts. More crashes in one step would open the circuit
 * breaker, and the script has no answer for that halt.
 */
const MOST_WITH_ANSWERS = 3;

/**
 * Returns whether a case can be combined with a conduct. If no execution may be repeated, any crash can cause a halt,
 * which would consume an answer of the script.
 */
const suits = ({ hasAnswers }: CrashCase, conduct: Conduct): boolean => !hasAnswers || !isOnce(conduct);

const shuffled = <Value>(values: readonly Value[], random: () => number): readonly Value[] =>
  values
    .map((value) => ({ value, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);

interface Pair {
  readonly one: CrashCase;
  readonly conduct: Conduct;
}

/** Yields all combinations of case and conduct endlessly, in a new random order each round. */
function* rotate(cases: readonly CrashCase[], random: () => number): Generator<Pair> {
  const pairs = cases.flatMap((one) =>
    CONDUCTS.filter((conduct) => suits(one, conduct)).map((conduct): Pair => ({ one, conduct })),
  );
  if (pairs.length === 0) throw new Error('there is no case to crash');
  for (;;) yield* shuffled(pairs, random);
}

/**
 * Chooses the kill point of the first process among the kill points of the uninterrupted run. Its kind is the one that
 * was used least often so far.
 */
function choosePoint(points: readonly string[], hit: ReadonlyMap<string, number>, random: () => number): number {
  const kinds = shuffled([...new Set(points)], random);
  const kind = kinds.reduce((least, one) => ((hit.get(one) ?? 0) < (hit.get(least) ?? 0) ? one : least));
  const places = points.flatMap((point, index) => (point === kind ? [index + 1] : []));
  return places[Math.floor(random() * places.length)] ?? 1;
}

/**
 * Chooses up to three further kill points. Most of them are early, while a process recovers the state that the previous
 * one left.
 */
function laterKills(points: number, most: number, random: () => number): readonly number[] {
  const count = Math.min(Math.floor(random() * 4), most - 1);
  return Array.from({ length: count }, () => 1 + Math.floor(random() ** 1.5 * points));
}

/** Interval, in histories, at which a history has two or three runs in one engine. */
const CROWD_EVERY = 8;
/** Interval, in histories, at which a history uses a complete engine, if its case allows that. */
const ENGINE_EVERY = 3;
/** Approximate number of kill points that a complete engine has in addition to a store: lock, intents, events. */
const ENGINE_POINTS = 40;

/** Yields random histories without end. */
export async function* planHistories(
  cases: readonly CrashCase[],
  find: FindReference,
  hit: ReadonlyMap<string, number>,
  random: () => number,
): AsyncGenerator<Plan> {
  const pairs = rotate(cases, random);
  const companions = shuffled(cases, random);
  let made = 0;
  for (const { one, conduct } of pairs) {
    made += 1;
    const { history } = await find(one, conduct);
    const most = one.hasAnswers ? MOST_WITH_ANSWERS : 4;
    if (one.inRealTime && made % ENGINE_EVERY === 0) {
      const points = history.end.points.length + ENGINE_POINTS;
      const first = 1 + Math.floor(random() * points);
      yield { cases: [one], conduct, place: 'engine', kills: [first, ...laterKills(points, most, random)] };
      continue;
    }
    if (made % CROWD_EVERY !== 0) {
      const first = choosePoint(history.end.points, hit, random);
      const later = laterKills(history.end.points.length, most, random);
      yield { cases: [one], conduct, place: 'store', kills: [first, ...later] };
      continue;
    }
    const others = Array.from({ length: 1 + Math.floor(random() * 2) }, (_, index) => {
      const other = companions[(made + index * 7) % companions.length];
      return other !== undefined && suits(other, conduct) ? other : one;
    });
    const points = history.end.points.length * (1 + others.length);
    const first = 1 + Math.floor(random() * points);
    yield {
      cases: [one, ...others],
      conduct,
      place: 'store',
      kills: [first, ...laterKills(points, MOST_WITH_ANSWERS, random)],
    };
  }
}

/** Formats a plan as one word, the value of `ROBOSMITH_CRASH_REPEAT`. */
export const planText = ({ cases, conduct, place, kills }: Plan): string =>
  `${place}:${conduct}:${cases.map(({ id }) => id).join('+')}:${kills.join('.')}`;

export function parsePlan(text: string, cases: readonly CrashCase[]): Plan {
  const [place, conductText, ids = '', kills = ''] = text.split(':');
  const conduct = CONDUCTS.find((known) => known === conductText);
  if (conduct === undefined || (place !== 'store' && place !== 'engine'))
    throw new Error(`"${text}" is not <place>:<conduct>:<case>+<case>:<point>.<point>`);
  const known = new Map(cases.map((one) => [one.id, one]));
  return {
    conduct,
    place,
    cases: ids.split('+').map((id) => {
      const found = known.get(id);
      if (found === undefined) throw new Error(`there is no case ${id}`);
      return found;
    }),
    kills: kills.split('.').filter(Boolean).map(Number),
  };
}
