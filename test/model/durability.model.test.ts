import fc from 'fast-check';
import { test } from 'vitest';
import { verifies } from '../e2e/verifies.ts';
import { checkRun } from './durability/check-run.ts';
import { liveThrough } from './durability/live-through.ts';
import { observeRun } from './durability/observed-run.ts';
import { observationOf, scenario } from './durability/scenario.ts';
import { seed } from '../support/seeded-random.ts';

const runs = Number(process.env['ROBOSMITH_SIMULATION_SEEDS'] ?? 1_500);

/** The time limit for shrinking a failing scenario, in milliseconds. */
const SHRINKING_MS = 60_000;

test(
  `after a crash at any instant a run goes on as if nothing had happened (${runs} scenarios, ROBOSMITH_SEED=${seed})`,
  { timeout: 0 },
  async () => {
    verifies('engine.resume.journal-answers');
    let giveUpAt = Number.POSITIVE_INFINITY;
    const same = fc.asyncProperty(scenario, async ({ runs: plans, sessions }) => {
      if (performance.now() > giveUpAt) return;
      try {
        const observed = plans.map(observationOf).map(observeRun);
        const lived = await liveThrough(observed, sessions);
        for (const run of observed) await checkRun(run, lived);
      } catch (thrown) {
        giveUpAt = Math.min(giveUpAt, performance.now() + SHRINKING_MS);
        throw thrown;
      }
    });
    const started = performance.now();
    await fc.assert(same, { numRuns: runs, seed });
    console.log(`ROBOSMITH_SEED=${seed} ${(performance.now() - started) / runs} ms`);
  },
);
