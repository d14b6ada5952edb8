import { beginLease, endLease } from '../src/logic/keys/lease.ts';
import { pickKey, type KeyRequest } from '../src/logic/keys/pick-key.ts';
import { changeGate, createPoolState, endpointGate, refreshSecrets, ringOf } from '../src/logic/keys/pool-state.ts';
import { EVERY_KEY } from '../src/logic/keys/read-pool.ts';
import { HEALTHY } from '../src/logic/keys/key-state.ts';
import type { PoolSettings } from '../src/protocol/key-pool.ts';

const KEYS = 1_000;
const PICKS = 20_000;
const NOW = Date.UTC(2026, 10, 21, 12);

interface Shape {
  readonly settings?: Partial<PoolSettings>;
  /** The number of cooling keys; they are spread over the pool. */
  readonly resting?: number;
  readonly conversations?: number;
}

const nines = (taken: readonly number[]): number =>
  [...taken].sort((a, b) => a - b)[Math.floor(taken.length * 0.99)] ?? Number.NaN;

/**
 * Returns the 99th percentile of the time to choose one of 1,000 keys, in microseconds. The time to acquire and release
 * the lease is not included.
 */
export function choosing({ settings = {}, resting = 0, conversations = 0 }: Shape): number {
  const keys = Array.from({ length: KEYS }, (_, index) => ({
    alias: `key-${index}`,
    provider: 'openai' as const,
    baseUrl: null,
    account: null,
  }));
  const state = createPoolState(keys, new Map());
  refreshSecrets(state, { get: (alias) => alias });
  const cooling = { ...HEALTHY, state: 'cooling' as const, until: NOW * 2 };
  for (const [index, key] of [...state.keys.values()].entries())
    if ((index * 7) % KEYS < resting) changeGate(state, key.own, cooling);
  const pool = { ...EVERY_KEY, ...settings };
  const ring = ringOf(state, pool, 'openai', null);
  const endpoint = endpointGate(state, 'openai', null);
  const cost = { microUsd: null, tokens: 100 };
  const taken: number[] = [];
  for (let id = 1; id <= PICKS; id += 1) {
    const now = NOW + id * 20;
    const conversation = conversations === 0 ? null : `s${id % conversations}`;
    const wish: KeyRequest = {
      ring,
      endpoint,
      model: 'm',
      conversation,
      tried: new Set(),
      failedWith: null,
      cost,
      input: 100,
    };
    const started = performance.now();
    const pick = pickKey(wish, state.ledger, now);
    taken.push((performance.now() - started) * 1_000);
    if (pick.kind !== 'key') throw new Error(`no key: ${pick.kind}`);
    const costs = { input: 100, least: cost, reserved: cost, output: null, boundBy: null } as const;
    const lease = beginLease(state, { id, key: pick.key, model: 'm', endpoint, accounts: [], ...costs }, now);
    endLease(state, lease, { kind: 'answered', cost }, pool, now);
  }
  return nines(taken.slice(PICKS / 4));
}
