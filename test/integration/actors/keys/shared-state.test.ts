import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSharedLimits } from '#io/user/shared-limits.ts';
import type { KeyPoolParts } from '#actors/keys/index.ts';
import type { AttemptOutcome } from '#protocol/ai-call.ts';
import { rest } from '../../../model/keys/test-clock.ts';
import { bad, good, key, poolUnderTest, START } from '../../../unit/actors/keys/pool-under-test.ts';

let folder: string;
const closes: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-shared-'));
});
afterEach(() => {
  for (const close of closes.splice(0)) close();
  rmSync(folder, { recursive: true });
});

let processes = 0;
/** Returns the pool of another process of the same user, in which the key has another alias. */
function processWith(alias: string, answer: (nth: number) => AttemptOutcome | Promise<AttemptOutcome>) {
  const shared = openSharedLimits({ folder, now: () => START, report: (message) => expect.unreachable(message) });
  closes.push(shared.close);
  processes += 1;
  const id = `p${String(processes)}`;
  const more: Partial<KeyPoolParts> = {
    shared,
    newShareId: () => id,
    fingerprintOf: () => 'f00dfeed',
  };
  return poolUnderTest([key(alias)], (_alias, nth) => answer(nth), more);
}

const twoAMinute = { requestsPerMinute: 2 };

test('a limit of two requests a minute holds for three processes together', async () => {
  const pools = ['a', 'b', 'c'].map((alias) => processWith(alias, () => good('fine')));
  const results: string[] = [];
  for (const { pool, order, settings } of pools) {
    const result = await pool.execute(order({ pool: settings(twoAMinute), deadline: START }));
    results.push(result.kind);
  }
  expect(results).toEqual(['answered', 'answered', 'exhausted']);
});

test('a process that begins anew knows what the one before has asked in the last minute', async () => {
  const first = processWith('a', () => good('fine'));
  for (let call = 0; call < 2; call += 1)
    await first.pool.execute(first.order({ pool: first.settings(twoAMinute), deadline: START }));
  first.pool.close();
  const second = processWith('a', () => good('fine'));
  const result = await second.pool.execute(second.order({ pool: second.settings(twoAMinute), deadline: START }));
  expect(result).toMatchObject({ kind: 'exhausted', retryAt: START + 60_000 });
  expect(second.asked).toEqual([]);
});

test('a key that cools in one process is not asked by another, until a whole answer has healed it', async () => {
  const slow = bad(429, '', { headers: { 'retry-after': '90' } });
  const one = processWith('a', () => slow);
  const other = processWith('b', () => good('fine'));
  expect((await one.pool.execute(one.order({ deadline: START }))).kind).toBe('exhausted');
  expect(await other.pool.execute(other.order({ deadline: START }))).toMatchObject({
    kind: 'exhausted',
    retryAt: START + 90_000,
  });
  expect(other.asked).toEqual([]);
  expect(other.pool.noteTest({ alias: 'b', failure: null })).toBe(true);
  expect((await other.pool.execute(other.order({ deadline: START }))).kind).toBe('answered');
  expect(one.pool.table()).toMatchObject([{ alias: 'a', state: 'healthy' }]);
});

test('a budget of a key is one for all processes, and what is in flight counts', async () => {
  const { promise, resolve } = Promise.withResolvers<AttemptOutcome>();
  const budget = { key: { microUsd: null, tokens: null, requests: 1 } };
  const one = processWith('a', () => promise);
  const other = processWith('b', () => good('fine'));
  const going = one.pool.execute(one.order({ pool: one.settings({ budget }), deadline: START + 1 }));
  await rest();
  const late = await other.pool.execute(other.order({ pool: other.settings({ budget }), deadline: START }));
  expect(late.kind).toBe('exhausted');
  expect(other.asked).toEqual([]);
  resolve(good('fine'));
  expect((await going).kind).toBe('answered');
});

test('no secret and no alias is in what is shared', async () => {
  const one = processWith('my-alias', () => bad(429, '{"error":{"message":"slow"}}'));
  await one.pool.execute(one.order({ deadline: START }));
  one.pool.close();
  const text = readdirSync(folder)
    .map((name) => readFileSync(path.join(folder, name), 'latin1'))
    .join('');
  expect(text).toContain('key:f00dfeed');
  expect(text).not.toContain('my-alias');
  expect(text).not.toContain('sk-secret');
});
