import type { CallScope } from '#protocol/finished-call.ts';
import type { Amounts, Budgets, BudgetScope, Overspent } from '#protocol/key-pool.ts';

/**
 * The cost of a call: the minimum cost before it, the actual cost after it. `microUsd` is null if the price is unknown.
 */
export interface Cost {
  readonly microUsd: number | null;
  readonly tokens: number;
}

export interface Spent {
  readonly microUsd: number;
  readonly tokens: number;
  readonly requests: number;
  /** The number of requests whose price is unknown. An unknown price does not count as zero. */
  readonly unpriced: number;
}

export const NOTHING_SPENT: Spent = { microUsd: 0, tokens: 0, requests: 0, unpriced: 0 };

/** Spending, and the minimum cost of calls in flight, by budget account (`run:r1`, `day:2026-11-21` …). */
export interface Ledger {
  readonly spent: Map<string, Spent>;
  readonly reserved: Map<string, Spent>;
}

export interface Limit {
  readonly scope: BudgetScope;
  readonly account: string;
  readonly amounts: Amounts;
}

export const emptyLedger = (): Ledger => ({ spent: new Map(), reserved: new Map() });

const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

/** Returns the next midnight (UTC), when the daily budgets are reset. */
export const nextDay = (now: number): number => (Math.floor(now / 86_400_000) + 1) * 86_400_000;

export const keyAccount = (alias: string, now: number): string => `key:${dayOf(now)}:${alias}`;

function accountOf(kind: Exclude<BudgetScope, 'key'>, scope: CallScope, now: number): string | null {
  if (kind === 'day') return `day:${dayOf(now)}`;
  if (kind === 'month') return `month:${dayOf(now).slice(0, 7)}`;
  if (kind === 'node') return scope.node === null ? null : `node:${scope.run ?? ''}:${scope.node}`;
  const id = scope[kind];
  return id === null ? null : `${kind}:${id}`;
}

const SCOPES = ['node', 'run', 'task', 'session', 'day', 'month'] as const;

/**
 * Returns the limits of a call that do not depend on its key. `prefix` separates the spending of a pool from the total.
 */
export function limitsOf(budgets: Budgets, scope: CallScope, prefix: string, now: number): readonly Limit[] {
  return SCOPES.flatMap((kind) => {
    const amounts = budgets[kind];
    const account = amounts === undefined ? null : accountOf(kind, scope, now);
    return amounts === undefined || account === null ? [] : [{ scope: kind, account: `${prefix}${account}`, amounts }];
  });
}

/**
 * Returns all budget accounts of a call, including those without a limit, so that a limit which is set later includes
 * earlier spending.
 */
export const accountsOf = (scope: CallScope, now: number): readonly string[] =>
  SCOPES.flatMap((kind) => accountOf(kind, scope, now) ?? []);

const plus = (one: Spent, { microUsd, tokens }: Cost, sign: 1 | -1): Spent => ({
  microUsd: one.microUsd + sign * (microUsd ?? 0),
  tokens: one.tokens + sign * tokens,
  requests: one.requests + sign,
  unpriced: one.unpriced + (microUsd === null ? sign : 0),
});

function add(to: Map<string, Spent>, accounts: readonly string[], cost: Cost, sign: 1 | -1): void {
  for (const account of accounts) {
    const sum = plus(to.get(account) ?? NOTHING_SPENT, cost, sign);
    if (sum.requests === 0) to.delete(account);
    else to.set(account, sum);
  }
}

export const reserve = (ledger: Ledger, accounts: readonly string[], cost: Cost): void =>
  add(ledger.reserved, accounts, cost, 1);

export function settle(ledger: Ledger, accounts: readonly string[], reserved: Cost, cost: Cost | null): void {
  add(ledger.reserved, accounts, reserved, -1);
  if (cost !== null) add(ledger.spent, accounts, cost, 1);
}

function over(limit: Limit, sum: Spent): Overspent | null {
  const { scope, amounts } = limit;
  for (const unit of ['requests', 'tokens', 'microUsd'] as const) {
    const most = amounts[unit];
    if (most !== null && sum[unit] > most) return { scope, unit, limit: most, spent: sum[unit], why: 'limit' };
  }
  if (amounts.microUsd === null || sum.unpriced === 0) return null;
  return { scope, unit: 'microUsd', limit: amounts.microUsd, spent: sum.microUsd, why: 'price_unknown' };
}

/**
 * Returns whether a call with this minimum cost may begin. `wait`: together with the minimum cost of the calls in
 * flight, it would exceed a limit, so it waits until they end. A limit can be exceeded only by calls that cost more
 * than their minimum.
 */
export function mayBegin(ledger: Ledger, limits: readonly Limit[], cost: Cost): 'yes' | 'wait' | Overspent {
  let verdict: 'yes' | 'wait' = 'yes';
  for (const limit of limits) {
    const spent = ledger.spent.get(limit.account) ?? NOTHING_SPENT;
    const passed = over(limit, plus(spent, cost, 1));
    if (passed !== null) return { ...passed, spent: passed.why === 'limit' ? spent[passed.unit] : passed.spent };
    const reserved = ledger.reserved.get(limit.account);
    if (reserved === undefined) continue;
    const all = { ...plus(spent, cost, 1) };
    const sum: Spent = {
      microUsd: all.microUsd + reserved.microUsd,
      tokens: all.tokens + reserved.tokens,
      requests: all.requests + reserved.requests,
      unpriced: all.unpriced,
    };
    if (over(limit, sum) !== null) verdict = 'wait';
  }
  return verdict;
}
