import { expect, test } from 'vitest';
import { planLanding } from '../../src/logic/landing/plan-landing.ts';
import type { LandingAnswer, LandingEnd, LandingStep, SuspectedPair } from '../../src/protocol/landing.ts';
import { pick, seed, seededRandom } from '../support/seeded-random.ts';
import { createRepository, failuresOf, isInConflict, naiveLanding, randomWorld, type World } from './landing/world.ts';

const landings = Number(process.env['ROBOSMITH_LANDINGS'] ?? 300);

interface Played {
  readonly end: LandingEnd;
  readonly steps: readonly LandingStep[];
  readonly runs: number;
}

/**
 * Answers each step of a landing's plan from the repository of `world`. With `killAt`, the plan is created again before
 * that step and receives the recorded answers, as after a crash.
 */
function play(
  world: World,
  { suspects = [], maxRuns = 1_000 }: { readonly suspects?: readonly SuspectedPair[]; readonly maxRuns?: number } = {},
  killAt = -1,
): Played {
  const repository = createRepository(world, suspects);
  const request = { cars: world.cars, maxRuns };
  const answers: LandingAnswer[] = [];
  const steps: LandingStep[] = [];
  let plan = planLanding(request);
  let step = plan.next();
  while (step.done !== true) {
    if (steps.length === killAt) {
      plan = planLanding(request);
      let again = plan.next();
      for (const answer of answers) again = plan.next(answer);
      expect(again).toEqual(step);
      step = again;
      if (step.done === true) break;
    }
    steps.push(step.value);
    const answer = repository.answer(step.value);
    answers.push(answer);
    step = plan.next(answer);
  }
  return { end: step.value, steps, runs: repository.runs() };
}

/** Returns random pairs of which some are right. */
function suspectsIn(world: World, random: () => number): readonly SuspectedPair[] {
  return [...world.breaks.map(({ cars }) => cars), world.cars.slice(0, 2).map(({ name }) => name)].flatMap((cars) => {
    const [one, other] = cars;
    return one === undefined || other === undefined || pick(random, 2) === 0 ? [] : [[one, other] as const];
  });
}

function checkBlame(world: World, { back, landed }: LandingEnd, all: string): void {
  if ([...back.values()].some(({ kind }) => kind === 'base_fails')) return;
  for (const [name, why] of back) {
    for (const other of why.with) expect(landed.includes(other), `${name} ${all}`).toBe(why.kind !== 'needs');
    const together = [...why.with, name];
    if (why.kind === 'conflict') expect(isInConflict(world, together)).toBe(true);
    if (why.kind !== 'breaks') continue;
    expect(failuresOf(world, together)).toContain(why.test);
    const isPlain = world.conflicts.length === 0 && world.cars.every(({ needs }) => needs.length === 0);
    // The fewest: without any one of them, the test passes.
    if (isPlain)
      for (const one of together)
        expect(
          failuresOf(
            world,
            together.filter((other) => other !== one),
          ),
        ).not.toContain(why.test);
  }
}

test(`a landing takes what the rules allow, and blames exactly (seed ${seed})`, () => {
  const random = seededRandom(seed);
  for (let index = 0; index < landings; index += 1) {
    const world = randomWorld(random);
    const suspects = suspectsIn(world, random);
    const { end, steps, runs } = play(world, { suspects }, pick(random, 12));
    const all = JSON.stringify({ world: { ...world, flakyRuns: [...world.flakyRuns] }, suspects, steps });
    expect(end.landed, all).toEqual(naiveLanding(world));
    expect([...end.landed, ...end.back.keys()].sort(), all).toEqual(world.cars.map(({ name }) => name).sort());
    expect(end.runs, all).toBe(runs);
    checkBlame(world, end, all);
    // With a limit, only a combination lands that has passed.
    const maxRuns = 1 + pick(random, 6);
    const limited = play(world, { suspects, maxRuns });
    expect(limited.runs).toBeLessThanOrEqual(maxRuns);
    const red = failuresOf(world, limited.end.landed).filter((one) => !failuresOf(world, []).includes(one));
    expect(limited.end.landed.length === 0 ? [] : red, all).toEqual([]);
  }
});

const plain = (count: number, breaks: World['breaks']): World => ({
  cars: Array.from({ length: count }, (_, index) => ({ name: `c${index + 1}`, needs: [] })),
  breaks,
  conflicts: [],
  onBase: [],
  flakyRuns: new Set(),
  baseMoves: 0,
  isUnnamed: false,
});

test('cars without a fault take one test run', () => {
  for (let count = 1; count <= 12; count += 1) expect(play(plain(count, [])).end.runs).toBe(1);
});

test('a suspected pair among 8 is found with at most 6 test runs', () => {
  for (let one = 1; one <= 8; one += 1)
    for (let other = one + 1; other <= 8; other += 1) {
      const cars = [`c${one}`, `c${other}`];
      const { end } = play(plain(8, [{ cars, test: 'test' }]), { suspects: [[`c${other}`, `c${one}`]] });
      expect(end.back.get(`c${other}`)).toEqual({ kind: 'breaks', with: [`c${one}`], test: 'test' });
      expect(end.runs).toBeLessThanOrEqual(6);
    }
});

test('an unsuspected pair among 8 is found with at most 9 test runs, and landing the others takes one more', () => {
  for (let one = 1; one <= 8; one += 1)
    for (let other = one + 1; other <= 8; other += 1) {
      const { end } = play(plain(8, [{ cars: [`c${one}`, `c${other}`], test: 'test' }]));
      expect(end.back.get(`c${other}`)).toEqual({ kind: 'breaks', with: [`c${one}`], test: 'test' });
      expect(end.runs).toBeLessThanOrEqual(10);
    }
});
