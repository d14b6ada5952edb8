import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrive, hasEnded, isDead, kill, newWorld, owners, step } from './lock-world.ts';
import type { Files, World } from './lock-world.ts';
import { seed } from '../../support/seeded-random.ts';

const claimOf = (pid: number, released = false): string =>
  JSON.stringify({ version: 1, id: `old-${pid}`, pid, started: null, host: 'here', socket: null, since: 0, released });

/**
 * Initial folders without a live owner. The process of an unreleased claim counts as alive unless the test kills it.
 */
const EMPTY: Files = {};
const RELEASED: Files = { '4.json': claimOf(1, true) };
const UNTIDY: Files = { '2.json': claimOf(1), '3.json': claimOf(2, true), 'past.json': '{"below":3}' };

const subsets = (names: readonly string[]): readonly (readonly string[])[] =>
  names.reduce<readonly (readonly string[])[]>((all, name) => [...all, ...all.map((one) => [...one, name])], [[]]);

const live = (world: World): readonly number[] =>
  world.processes.flatMap((one, index) => (hasEnded(one) || isDead(world, one) ? [] : [index]));

/**
 * Returns the states that can follow from one call. If a folder changed while it was read, there is one state for each
 * listing that the system may return.
 */
function after(world: World, index: number): readonly World[] {
  let unsettled: readonly string[] = [];
  const all = step(world, index, (names) => (unsettled = names));
  return unsettled.length === 0 ? [all] : subsets(unsettled).map((chosen) => step(world, index, () => chosen));
}

const next = (world: World, deaths: number): readonly World[] => [
  ...live(world).flatMap((index) => after(world, index)),
  ...(world.dead.length < deaths ? live(world).map((index) => kill(world, index)) : []),
];

const fail = (why: string, world: World): never => {
  throw new Error(`${why}: ${JSON.stringify(world, null, 1)}`);
};

function check(world: World): void {
  if (owners(world).length > 1) fail('two owners', world);
  if (world.processes.some(({ state }) => state === 'threw')) fail('an error', world);
}

/** Checks a state in which no process has a call left to make. */
function checkEnd(world: World): void {
  const { processes } = world;
  const hasOwned = new Set(processes.filter((one) => one.hasOwned).map(({ pid }) => pid));
  if (world.dead.length === 0 && hasOwned.size === 0) fail('nobody got it', world);
  const misled = processes.some(({ refusedFor }) => refusedFor !== null && !hasOwned.has(refusedFor));
  if (world.dead.length === 0 && misled) fail('one gave way to another that never owned it', world);
  const later = arrive(world, 999);
  if (later.processes.at(-1)?.state !== 'owner') fail('it is stuck', later);
}

/** Visits every state that is reachable from a start and returns their number. */
function explore(start: World, deaths = 0): number {
  const seen = new Set<string>();
  const open = [start];
  for (let world = open.pop(); world !== undefined; world = open.pop()) {
    const key = createHash('sha1').update(JSON.stringify(world)).digest('base64');
    if (seen.has(key)) continue;
    seen.add(key);
    check(world);
    const following = next(world, deaths);
    if (following.length === 0) checkEnd(world);
    open.push(...following);
  }
  return seen.size;
}

/** Returns a state in which the first process has found no owner and has just written its claim. */
function withLatecomer(rounds: readonly number[]): World {
  let world = newWorld(EMPTY, [1, ...rounds]);
  while (step(world, 0).files['1.json'] === undefined) world = step(world, 0);
  return world;
}

/**
 * The expected numbers of states are exact, so that an accidental omission is detected. They change when the lock makes
 * other calls.
 */
describe('in every order of calls there is one owner at most, and the next one gets it', () => {
  test.each([
    ['an empty folder', EMPTY, 1016],
    ['a released claim', RELEASED, 11944],
    ['claims left by an owner that died while it tidied', UNTIDY, 20966],
  ])('two processes, %s, and both may be killed', (_, files, worlds) => {
    expect(explore(newWorld(files, [1, 1]), 2)).toBe(worlds);
  });

  test('one comes twice, and one may be killed', () => {
    expect(explore(newWorld(EMPTY, [1, 2]), 1)).toBe(25923);
  });

  test('one is held up right before its claim, while another one comes three times', () => {
    expect(explore(withLatecomer([3]))).toBe(69898);
  });
});

test('who sees a claim that is about to be taken back gives way to the owner, not to that one', () => {
  const [latecomer, owner, third] = [0, 1, 2];
  let world = withLatecomer([2, 1]);
  while (world.processes[owner]!.rounds === 2) world = step(world, owner);
  // In these two steps the process reads the folder and finds claim 1, which is released.
  world = step(step(world, third), third);
  while (world.files['1.json'] !== undefined) world = step(world, owner);
  expect(owners(world)).toEqual([12]);
  expect(Object.keys(world.files)).toEqual(['2.json', 'past.json']);
  world = step(world, latecomer);
  expect(Object.keys(world.files)).toEqual(['1.json', '2.json', 'past.json']);
  while (!hasEnded(world.processes[third]!)) world = step(world, third);
  expect(world.processes[third]).toMatchObject({ state: 'refused', refusedFor: 12 });
  while (!hasEnded(world.processes[latecomer]!)) world = step(world, latecomer);
  expect(world.processes[latecomer]).toMatchObject({ state: 'refused', refusedFor: 12 });
  expect(Object.keys(world.files)).toEqual(['2.json', 'past.json']);
});

const runs = Math.ceil(Number(process.env['ROBOSMITH_MODEL_RUNS'] ?? 2_000) / 10);

/** Executes one call of a process or, rarely, kills a process, depending on `choice`. */
function wander(world: World, choice: number): World {
  const able = live(world);
  if (able.length === 0) return world;
  const index = able[choice % able.length]!;
  if (choice % 97 === 0) return kill(world, index);
  return step(world, index, (names) => names.filter((_, bit) => ((choice >> (bit + 4)) & 1) === 1));
}

const beginning = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(EMPTY, RELEASED, UNTIDY),
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 4 }),
    )
    .map(([files, rounds]) => newWorld(files, rounds)),
  fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }).map(withLatecomer),
);

/**
 * Generates choices in which one process often makes several calls in a row, so that the others are delayed for a long
 * time.
 */
const choices = fc
  .array(fc.tuple(fc.nat(2 ** 20), fc.integer({ min: 1, max: 12 })), { minLength: 20, maxLength: 80 })
  .map((list) => list.flatMap(([choice, times]) => Array.from({ length: times }, () => choice)));

test(
  `up to four processes in random order (${String(runs)} runs, ROBOSMITH_SEED=${String(seed)})`,
  { timeout: 0 },
  () => {
    const holds = fc.property(beginning, choices, (start, list) => {
      let world = start;
      for (const choice of list) {
        world = wander(world, choice);
        check(world);
      }
      for (const index of live(world))
        while (live(world).includes(index)) {
          world = step(world, index);
          check(world);
        }
      checkEnd(world);
    });
    fc.assert(holds, { numRuns: runs, seed });
  },
);
