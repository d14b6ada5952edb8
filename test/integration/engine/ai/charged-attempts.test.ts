import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { LIMITS, openWholePool, SECRETS } from './whole-pool.ts';

let server: FaultServer;
const pool = openWholePool();
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(async () => {
  await pool.close();
  await server.close();
});

test('what the pool charges for an attempt that timed out is in the log, and in its sums', async () => {
  const baseUrl = server.byKey({ [SECRETS.first]: 'hang-after-headers', [SECRETS.second]: 'none' });
  const { result, record } = await pool.call({ provider: 'openai', baseUrl, stream: true, limits: LIMITS.first });
  const [late, good] = result?.attempts ?? [];
  expect(late?.usage.input).toBeGreaterThan(0);
  expect(record?.attempts[0]).toMatchObject({ tokens_used: late?.usage, cost_micro_usd: late?.microUsd });
  expect(record?.cost.micro_usd).toBe((late?.microUsd ?? 0) + (good?.microUsd ?? 0));
  expect(record?.tokens_used?.input).toBe((late?.usage.input ?? 0) + (good?.usage.input ?? 0));
});

test('what a limit of ours has ended before a word of its answer came is charged: it had been sent', async () => {
  const baseUrl = server.byKey({ [SECRETS.first]: 'hang-before-headers', [SECRETS.second]: 'none' });
  const { result, record } = await pool.call({ provider: 'openai', baseUrl, stream: false, limits: LIMITS.total });
  const [late, good] = result?.attempts ?? [];
  expect(late).toMatchObject({ failure: { class: 'timeout', status: null } });
  expect(late?.microUsd).toBeGreaterThan(0);
  expect(record?.cost.micro_usd).toBe((late?.microUsd ?? 0) + (good?.microUsd ?? 0));
});
