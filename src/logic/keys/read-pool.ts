import { FAILURE_CLASSES, type FailureClass } from '#protocol/failure-class.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Amounts, Budgets, BudgetScope, PoolSettings } from '#protocol/key-pool.ts';

/** A pool, with warnings about settings that have no effect. The schema has already checked everything else. */
interface ReadPool {
  readonly pool: PoolSettings;
  readonly problems: readonly string[];
}

const BUDGET_SCOPES: readonly BudgetScope[] = ['node', 'run', 'task', 'session', 'day', 'month', 'key'];

const objectIn = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

const numberIn = (value: JsonValue | undefined): number | null => (typeof value === 'number' ? value : null);

const namesIn = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((one: JsonValue) => typeof one === 'string') : [];

function readAmounts(json: JsonObject): Amounts {
  const usd = numberIn(json['usd']);
  return {
    microUsd: usd === null ? null : Math.round(usd * 1e6),
    tokens: numberIn(json['tokens']),
    requests: numberIn(json['requests']),
  };
}

/** Reads `budgets` of the manifest, or `budget` of a pool. */
export function readBudgets(json: JsonObject): Budgets {
  const written = BUDGET_SCOPES.filter((scope) => Object.hasOwn(json, scope));
  return Object.fromEntries(written.map((scope) => [scope, readAmounts(objectIn(json[scope]))]));
}

const isClass = (name: string): name is FailureClass => (FAILURE_CLASSES as readonly string[]).includes(name);

const POLICIES: readonly string[] = ['next_key', 'cool', 'disable', 'fail'];

function readPolicy(json: JsonObject, problems: string[]): PoolSettings['policy'] {
  const rows = Object.entries(json).filter(([name, policy]) => {
    const known = isClass(name);
    if (!known)
      problems.push(
        `policy.${name}: there is no such failure class; the failure classes are ${FAILURE_CLASSES.join(', ')}`,
      );
    return known && typeof policy === 'string' && POLICIES.includes(policy);
  });
  return Object.fromEntries(rows);
}

/** Returns names in `tiers` and `weights` that are not keys of the pool. */
function strangers(
  keys: readonly string[],
  tiers: readonly (readonly string[])[],
  weights: JsonObject,
): readonly string[] {
  const known = new Set(keys);
  return [...tiers.flat().map((alias) => ['tiers', alias]), ...Object.keys(weights).map((alias) => ['weights', alias])]
    .filter(([, alias = '']) => !known.has(alias))
    .map(([where, alias]) => `${where ?? ''}: "${alias ?? ''}" is none of the pool's keys`);
}

/** Reads a pool of the manifest (`pools.<name>`). */
export function readPool(name: string, json: JsonObject): ReadPool {
  const problems: string[] = [];
  const keys = namesIn(json['keys']);
  const written = json['tiers'];
  const tiers = Array.isArray(written) ? written.map((tier: JsonValue) => namesIn(tier)) : [];
  const weights = objectIn(json['weights']);
  const policy = readPolicy(objectIn(json['policy']), problems);
  problems.push(...strangers(keys, tiers, weights));
  const shares = Object.entries(weights).filter(([, weight]) => typeof weight === 'number' && weight > 0);
  const pool: PoolSettings = {
    name,
    keys,
    policy,
    tiers,
    weights: Object.fromEntries(shares) as Readonly<Record<string, number>>,
    concurrency: numberIn(json['concurrency']),
    requestsPerMinute: numberIn(json['requests_per_minute']),
    tokensPerMinute: numberIn(json['tokens_per_minute']),
    budget: readBudgets(objectIn(json['budget'])),
  };
  return { pool, problems };
}

/** The settings if the manifest names no pool: every key that fits, in the user's order. */
export const EVERY_KEY: PoolSettings = {
  name: '',
  keys: null,
  policy: {},
  tiers: [],
  weights: {},
  concurrency: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  budget: {},
};
