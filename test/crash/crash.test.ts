import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkHistory } from './check-history.ts';
import { type CrashCase, type LeftOut, prepareCases } from './crash-cases.ts';
import { playHistory, type Plan } from './history.ts';
import { parsePlan, planHistories, planText, randomFrom } from './plan-histories.ts';
import { bundleProgram, createPool, type Pool } from './process-pool.ts';
import { quickFolder } from './quick-folder.ts';
import { createReferences, type FindReference } from './reference.ts';
import { createTally } from './tally.ts';
import { seed } from '../support/seeded-random.ts';

const wanted = Number(process.env['ROBOSMITH_CRASH_POINTS'] ?? 40);
const repeat = process.env['ROBOSMITH_CRASH_REPEAT'];

/** Number of histories that run concurrently, so that some processes start while others work. */
const AT_A_TIME = 3;
/** Number of failures after which the suite stops, because further ones would add nothing new. */
const MOST_FAILURES = 10;

/** Number of histories between two progress messages, since a complete run takes long. */
const PROGRESS_EVERY = 2_500;

const folder = mkdtempSync(path.join(quickFolder(), 'robosmith-crash-'));
let cases: readonly CrashCase[] = [];
let leftOut: readonly LeftOut[] = [];
let pool: Pool;
let find: FindReference;
let removeProgram = (): void => undefined;

beforeAll(async () => {
  ({ cases, leftOut } = await prepareCases(path.join(folder, 'cases')));
  const program = await bundleProgram();
  removeProgram = program.remove;
  pool = createPool(program.file, AT_A_TIME + 1);
  find = createReferences(pool, folder);
});

afterAll(() => {
  pool.close();
  removeProgram();
  rmSync(folder, { recursive: true, force: true });
});

const tally = createTally();

/** Runs one history and returns its problems, each with the environment variable that repeats the history. */
async function judge(plan: Plan): Promise<readonly string[]> {
  const reproducible = (problem: string): string => `ROBOSMITH_CRASH_REPEAT='${planText(plan)}'\n${problem}`;
  try {
    const references = await Promise.all(plan.cases.map((one) => find(one, plan.conduct)));
    const history = await playHistory(plan, pool, folder);
    tally.add(plan, history);
    return checkHistory(plan, history, references).map(reproducible);
  } catch (thrown) {
    return [reproducible(thrown instanceof Error ? thrown.message : String(thrown))];
  }
}

async function judgeMany(plans: AsyncGenerator<Plan>): Promise<readonly string[]> {
  const failures: string[] = [];
  let nextProgress = PROGRESS_EVERY;
  const lane = async (): Promise<void> => {
    while (tally.kills() < wanted && failures.length < MOST_FAILURES) {
      const { value: plan } = (await plans.next()) as IteratorYieldResult<Plan>;
      failures.push(...(await judge(plan)).slice(0, 2));
      if (tally.kills() < nextProgress) continue;
      console.log(`${tally.kills()} kills, ${failures.length} failures`);
      nextProgress += PROGRESS_EVERY;
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return failures;
}

/** Runs each case once without kills, and returns the differences from its simulation. */
async function compareAll(): Promise<readonly string[]> {
  const failures: string[] = [];
  const rest = cases[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (const one of rest)
      await find(one, 'as_scripted').catch((thrown: unknown) => failures.push(String(thrown).slice(0, 2_000)));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return failures;
}

/** From this number of kills on, the seed may select any case, so that all are compared with their simulations. */
const KILLS_FOR_ALL = 250;

describe.skipIf(process.platform === 'win32')('an engine that is killed', () => {
  test.runIf(wanted >= KILLS_FOR_ALL && repeat === undefined)(
    'has the outcome of the simulation in each case without a kill',
    { timeout: 0 },
    async () => expect((await compareAll()).join('\n\n')).toBe(''),
  );

  test.runIf(repeat !== undefined)('goes on as if nothing had happened: the history that was asked for', async () => {
    const plan = parsePlan(repeat ?? '', cases);
    expect(await judge(plan)).toEqual([]);
    console.log(tally.lines().join('\n'));
  });

  test.skipIf(repeat !== undefined)(
    `goes on as if nothing had happened (${wanted} kills, ROBOSMITH_SEED=${seed})`,
    { timeout: 0 },
    async () => {
      const failures = await judgeMany(planHistories(cases, find, tally.points(), randomFrom(seed)));
      const out = leftOut.filter(({ why }) => !why.startsWith('it does not compile'));
      console.log(
        [
          `ROBOSMITH_SEED=${seed}`,
          ...tally.lines(),
          `${cases.length} cases; ${leftOut.length} have nothing to crash or can't be compared, of them compile: ${out.map(({ id, why }) => `${id} (${why})`).join(', ')}`,
        ].join('\n'),
      );
      expect(failures.join('\n\n')).toBe('');
      expect(tally.kills()).toBeGreaterThanOrEqual(wanted);
    },
  );
});
