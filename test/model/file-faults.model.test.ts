import { describe, expect, test } from 'vitest';
import { verifies } from '../e2e/verifies.ts';
import { callsOf, type Effect, failOnce, type Fault, FAULTS } from './durability/fail-once.ts';
import { FAULT_WORKFLOWS } from './durability/fault-workflows.ts';
import type { Setting } from './durability/scene.ts';
import { seed } from '../support/seeded-random.ts';

/**
 * True to test all faults at every call. Otherwise two faults are tested per call; they vary between calls and test
 * runs.
 */
const complete = process.env['ROBOSMITH_FAULTS'] === 'all';

const { plain, call, fork, halts, blobs } = FAULT_WORKFLOWS;
const scripted = { own: false, answered: false };
const fromOutside = { own: false, answered: true };

const SETTINGS: Readonly<Record<string, Setting>> = {
  plain: { runs: [{ written: plain, ...scripted }], crashAt: null },
  call: { runs: [{ written: call, ...scripted }], crashAt: null },
  fork: { runs: [{ written: fork, ...scripted }], crashAt: null },
  halts: { runs: [{ written: halts, ...fromOutside }], crashAt: null },
  blobs: { runs: [{ written: blobs, ...scripted }], crashAt: null },
  'two at once': {
    runs: [
      { written: fork, ...scripted },
      { written: halts, ...fromOutside },
    ],
    crashAt: null,
  },
  'three at once, after a crash': {
    runs: [
      { written: plain, ...scripted },
      { written: blobs, ...scripted },
      { written: fork, ...scripted },
    ],
    crashAt: 60,
  },
};

const faultsAt = (at: number): readonly Fault[] =>
  complete ? FAULTS : [0, 3].map((step) => FAULTS[(at + step + seed) % FAULTS.length] ?? 'EIO');

/** Returns whether a file of the engine's state is only a cache. Recovery depends on all other files. */
const isCache = (path: string): boolean => path.includes('flow_state_');

describe(`a file call that fails once (ROBOSMITH_SEED=${seed})`, () => {
  test.each(Object.entries(SETTINGS))('%s', { timeout: 0 }, async (name, setting) => {
    verifies('engine.crash-barrier.disk');
    const effects = new Map<Effect, number>();
    const calls = await callsOf(setting);
    for (let at = 0; at < calls; at += 1) {
      for (const fault of faultsAt(at)) {
        const where = `${name}: ${fault} at ${at}`;
        const { effect, call: failed } = await failOnce(setting, fault, at, at % 2 === 1).catch((thrown: unknown) => {
          throw new Error(where, { cause: thrown });
        });
        effects.set(effect, (effects.get(effect) ?? 0) + 1);
        if (effect === 'not_read') expect(failed.name).toBe('read');
        if (isCache(failed.path))
          expect(['none', 'warned'], `${where}, ${failed.name} ${failed.path}`).toContain(effect);
      }
    }
    console.log(`${name}: ${calls} calls, ${[...effects].map(([effect, count]) => `${effect} ${count}`).join(', ')}`);
    expect(effects.get('not_saved')).toBeGreaterThan(0);
    expect(effects.get('refused')).toBeGreaterThan(0);
  });
});
