import { expect, test } from 'vitest';
import { verifies } from '../e2e/verifies.ts';
import { liveThrough, type Tally } from './keys/live-through.ts';
import { seed } from '../support/seeded-random.ts';

const histories = Number(process.env['ROBOSMITH_POOL_HISTORIES'] ?? 10_000);

test(
  `the key pool does as the naive pool does (${String(histories)} histories, ROBOSMITH_SEED=${String(seed)})`,
  { timeout: 0 },
  async () => {
    verifies('workers.pool.key-states', 'workers.pool.selection', 'workers.pool.until-forward');
    verifies(
      'workers.pool.per-model',
      'workers.pool.client-errors',
      'workers.pool.endpoint',
      'workers.pool.limits',
      'workers.pool.exhausted',
    );
    const tally: Tally = new Map();
    for (let index = 0; index < histories; index += 1)
      try {
        await liveThrough(seed + index, tally);
      } catch (thrown) {
        throw new Error(`ROBOSMITH_SEED=${String(seed + index)} ROBOSMITH_POOL_HISTORIES=1`, { cause: thrown });
      }
    const lines = Array.from(tally, ([what, times]) => `${what}: ${String(times)}`).sort();
    console.log([`ROBOSMITH_SEED=${String(seed)}`, ...lines].join('\n'));
    if (histories >= 1_000) expect(tally.size).toBe(24);
  },
);
