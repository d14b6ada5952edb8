import { expect, test } from 'vitest';
import { waitError } from '#engine/ai/wait-error.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import type { KeyReport, PoolResult } from '#protocol/key-pool.ts';

const ORDER = { request: { provider: 'openai-compatible', baseUrl: 'http://localhost:1/v1' } } as AiOrder;

const waiting = (...table: readonly KeyReport[]) => {
  const result = { kind: 'exhausted', retryAt: 60_000, table } as Extract<PoolResult, { kind: 'exhausted' }>;
  const { message, data } = waitError(result, ORDER, { pool: null } as never);
  return { message, why: data['why'], until: data['until'] };
};

const rests: KeyReport = { alias: 'a', state: 'healthy', until: 60_000, why: 'endpoint', said: 'Nothing listens.' };

test('a server that does not work is no quota: the halt names it with its failure', () => {
  const b = { ...rests, alias: 'b' };
  expect(waiting(rests, b)).toEqual({
    why: 'endpoint',
    until: 60_000,
    message: 'http://localhost:1/v1: Nothing listens.',
  });
});

test('where a key cools as well, the keys are listed', () => {
  const cools: KeyReport = { alias: 'b', state: 'cooling', until: 90_000, why: 'rate_limited', said: 'Slow down.' };
  expect(waiting(rests, cools)).toEqual({
    why: 'quota',
    until: 60_000,
    message:
      'no key for http://localhost:1/v1 can be used now\na: healthy (endpoint), Nothing listens.\nb: cooling (rate_limited), Slow down.',
  });
});
