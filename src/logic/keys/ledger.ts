import type { CallScope } from '#protocol/finished-call.ts';
import type { Amounts, Budgets, BudgetScope, OverspentBudget } from '#protocol/key-pool.ts';
import { moneyText } from '#protocol/amount-text.ts';

/** The cost of a call: the maximum before it, the actual cost after it. `microUsd` is null if the price is unknown. */
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

/** Spending, and the reserved cost of calls in flight, by budget account (`run:r1`, `day:2026-11-21` …). */
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

function over(limit: Limit, sum: Spent): OverspentBudget | null {
  const { scope, amounts } = limit;
  for (const unit of ['requests', 'tokens', 'microUsd'] as const) {
    const most = amounts[unit];
    if (most !== null && sum[unit] > most)
      return { scope, unit, limit: most, spent: sum[unit], why: 'limit', needed: 0 };
  }
  if (amounts.microUsd === null || sum.unpriced === 0) return null;
  return { scope, unit: 'microUsd', limit: amounts.microUsd, spent: sum.microUsd, why: 'price_unknown', needed: 0 };
}

/** Returns the limit that `sum` exceeds, or null. The result states what was spent before, and what the call needs. */
function exceeded(limit: Limit, spent: Spent, sum: Spent): OverspentBudget | null {
  const passed = over(limit, sum);
  if (passed === null || passed.why === 'price_unknown') return passed;
  return { ...passed, spent: spent[passed.unit], needed: sum[passed.unit] - spent[passed.unit] };
}

/** Returns the sum of the spending of an account, of its calls in flight, and of another call. */
function committed({ spent, reserved }: Ledger, account: string, cost: Cost): Spent {
  const flying = reserved.get(account) ?? NOTHING_SPENT;
  const sum = plus(spent.get(account) ?? NOTHING_SPENT, cost, 1);
  return {
    microUsd: sum.microUsd + flying.microUsd,
    tokens: sum.tokens + flying.tokens,
    requests: sum.requests + flying.requests,
    unpriced: sum.unpriced,
  };
}

/**
 * Returns whether a call with this minimum cost may begin. `wait`: together with what is reserved for the calls in
 * flight, it would exceed a limit, so it waits until they end and cost less than was reserved.
 */
export function mayBegin(ledger: Ledger, limits: readonly Limit[], cost: Cost): 'yes' | 'wait' | OverspentBudget {
  let verdict: 'yes' | 'wait' = 'yes';
  for (const limit of limits) {
    const spent = ledger.spent.get(limit.account) ?? NOTHING_SPENT;
    const passed = exceeded(limit, spent, plus(spent, cost, 1));
    if (passed !== null) return passed;
    if (over(limit, committed(ledger, limit.account, cost)) !== null) verdict = 'wait';
  }
  return verdict;
}

/** Returns the limit that an ended call has exceeded, or null. */
export function overspent(ledger: Ledger, limits: readonly Limit[]): OverspentBudget | null {
  for (const limit of limits) {
    const passed = over(limit, ledger.spent.get(limit.account) ?? NOTHING_SPENT);
    if (passed?.why === 'limit') return passed;
  }
  return null;
}

/** The bounds of a call's output in tokens, and the cost of the call for an output. */
export interface Bid {
  /** Below this output, the call is not worth its input. */
  readonly least: number;
  readonly most: number;
  readonly costOf: (output: number) => Cost;
}

/** The limit that leaves a call less output than the most that it may write, and the unit of that limit. */
export interface OutputBound {
  readonly limit: Limit;
  readonly unit: OverspentBudget['unit'];
}

/** The output that limits leave to a call. `boundBy` is null if it may write the most. */
interface Allowance {
  readonly output: number;
  readonly boundBy: OutputBound | null;
}

/**
 * Returns the largest output, between the bounds of the bid, whose cost exceeds no limit together with what is spent
 * and reserved. `mayBegin` must have allowed the minimum.
 */
export function allowanceOf(ledger: Ledger, limits: readonly Limit[], { least, most, costOf }: Bid): Allowance {
  const boundAt = (output: number): OutputBound | null => {
    for (const limit of limits) {
      const passed = over(limit, committed(ledger, limit.account, costOf(output)));
      if (passed !== null) return { limit, unit: passed.unit };
    }
    return null;
  };
  const boundBy = boundAt(most);
  if (boundBy === null) return { output: most, boundBy };
  let [paid, unpaid] = [least, most];
  while (unpaid - paid > 1) {
    const middle = Math.floor((paid + unpaid) / 2);
    if (boundAt(middle) === null) paid = middle;
    else unpaid = middle;
  }
  return { output: paid, boundBy };
}

const NEXT = 'To go on, raise it in the manifest, and resume with --manifest new --retry';

/** Explains which budget ended a call or prevented it, and what to do. */
export function overspentText({ scope, unit, limit, spent, needed, why }: OverspentBudget): string {
  if (why === 'price_unknown')
    return `the budget of the ${scope} is an amount of money, and the price of this model is unknown: write it into .vision/prices.json, or set the budget in tokens`;
  const amount = (value: number): string => (unit === 'microUsd' ? moneyText(value) : `${value} ${unit}`);
  const used = `${amount(spent)} of ${amount(limit)}`;
  if (why === 'cut_off')
    return `the answer was cut off where the budget of the ${scope} ends: ${used} are used. ${NEXT}`;
  if (spent >= limit) return `the budget of the ${scope} is used up: ${used}. ${NEXT}`;
  return `the budget of the ${scope} can't pay for this call, which needs at least ${amount(needed)}: ${used} are used. ${NEXT}`;
}
