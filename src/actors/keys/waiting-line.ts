import type { Clock } from '#protocol/clock.ts';
import type { OverspentBudget, WorkOrder } from '#protocol/key-pool.ts';
import { accountsOf, allowanceOf, keyAccount, type Limit, limitsOf, mayBegin } from '#logic/keys/ledger.ts';
import { type CallBid, MOST_OUTPUT } from '#logic/keys/estimate.ts';
import { beginLease, type Lease } from '#logic/keys/lease.ts';
import { type KeyWait, type KeyChoice, limitOfKey, pickKey, pickOwn } from '#logic/keys/pick-key.ts';
import type { PoolKey } from '#logic/keys/pool-key.ts';
import { endpointGate, type PoolState, ringOf } from '#logic/keys/pool-state.ts';
import type { Ring } from '#logic/keys/ring.ts';
import type { SharedState } from './shared-state.ts';
import type { Gate } from '#logic/keys/key-state.ts';

export type Grant =
  | { readonly kind: 'lease'; readonly lease: Lease }
  /** No key is available before the deadline. */
  | { readonly kind: 'exhausted'; readonly retryAt: number | null }
  | { readonly kind: 'over_budget'; readonly over: OverspentBudget };

/** The history of failures of a call. */
interface Failures {
  /** Keys that are not tried again, because this call would fail with them again. */
  readonly tried: ReadonlySet<PoolKey>;
  /** The key of the last failure. */
  readonly failedWith: PoolKey | null;
}

interface Waiter extends Failures {
  readonly order: WorkOrder;
  readonly ring: Ring;
  readonly endpoint: Gate;
  readonly bid: CallBid;
  readonly give: (grant: Grant) => void;
}

/**
 * The decision about a waiting call. If `forKey` is true, later calls of the same pool, endpoint and model must wait
 * behind this one.
 */
type Verdict = Grant | (KeyWait & { readonly forKey: boolean });

/** The verdict that no money is left for the call: it waits until a call in flight has cost less than was reserved. */
const FOR_MONEY = { kind: 'later', at: null, inFlight: true, forKey: false } as const;

/** The reason for stopping the timer, created once because errors are costly to create. */
const MOVED = new Error('another time');

/** The delay suggested if all keys are used by calls in flight. */
const BUSY_RETRY_MS = 1_000;

interface LineParts {
  readonly state: PoolState;
  readonly clock: Clock;
  readonly onLease: (lease: Lease) => void;
  /** Null if this process shares its keys with no other. */
  readonly shared: SharedState | null;
}

const conversationOf = ({ scope }: WorkOrder): string | null =>
  scope.session === null && scope.run === null ? null : `${scope.session ?? scope.run ?? ''} ${scope.block ?? ''}`;

/** Returns the limits of a call that do not depend on its key. */
export const limitsFor = ({ budgets, pool, scope }: WorkOrder, now: number): readonly Limit[] => [
  ...limitsOf(budgets, scope, '', now),
  ...limitsOf(pool.budget, scope, `pool:${pool.name}:`, now),
];

const isMetered = ({ amounts }: Limit): boolean => amounts.microUsd !== null || amounts.tokens !== null;

/**
 * Decides about one waiting call. `ahead` is the verdict about an earlier call that waits for the same keys, if there
 * is one.
 */
type Judge = (waiter: Waiter, ahead: KeyWait | undefined, now: number) => Verdict;

function createJudge({ state, onLease, shared }: Omit<LineParts, 'clock'>): Judge {
  let lastLease = 0;

  const lend = ({ order, endpoint, bid }: Waiter, key: PoolKey, now: number): Grant => {
    const general = limitsFor(order, now);
    const { key: ofKey } = order.pool.budget;
    const limits = ofKey === undefined ? general : [...general, limitOfKey(key, ofKey, now)];
    const charged = general.map(({ account }) => account);
    const accounts = new Set([...accountsOf(order.scope, now), ...charged, keyAccount(key.definition.alias, now)]);
    const { model } = order.request;
    const costs = { input: bid.input, least: bid.costOf(0), ...paidOutput(limits, bid) };
    const terms = { key, model, endpoint, accounts: [...accounts], ...costs };
    const lease = beginLease(state, { id: (lastLease += 1), ...terms }, now);
    onLease(lease);
    return { kind: 'lease', lease };
  };

  /** Returns the output that the limits can pay for, and reserves the cost of that output. */
  const paidOutput = (limits: readonly Limit[], bid: CallBid) => {
    if (!limits.some(isMetered)) return { output: null, boundBy: null, reserved: bid.costOf(0) } as const;
    const { output, boundBy } = allowanceOf(state.ledger, limits, bid);
    return { output: output === MOST_OUTPUT ? null : output, boundBy, reserved: bid.costOf(output) };
  };

  const pickFor = (
    { ring, endpoint, order, tried, failedWith, bid }: Waiter,
    ahead: KeyWait | undefined,
    now: number,
  ): KeyChoice => {
    const { model } = order.request;
    const { input } = bid;
    const cost = bid.costOf(bid.least);
    const wish = { ring, endpoint, model, conversation: conversationOf(order), tried, failedWith, cost, input };
    return ahead === undefined ? pickKey(wish, state.ledger, now) : pickOwn(wish, ahead, state.ledger, now);
  };

  /** Returns a grant, or how long to wait. */
  const judgeAlone = (waiter: Waiter, ahead: KeyWait | undefined, now: number): Verdict => {
    const { order, bid } = waiter;
    const allowed = mayBegin(state.ledger, limitsFor(order, now), bid.costOf(bid.least));
    if (typeof allowed === 'object') return { kind: 'over_budget', over: allowed };
    // The calls in flight end within their time limits, so the wait for them needs no deadline.
    if (allowed === 'wait') return FOR_MONEY;
    const pick = pickFor(waiter, ahead, now);
    if (pick.kind === 'key') return lend(waiter, pick.key, now);
    if (pick.kind === 'none') return { kind: 'exhausted', retryAt: null };
    const tooLate = pick.inFlight ? now >= order.deadline : pick.at === null || pick.at > order.deadline;
    if (tooLate) return { kind: 'exhausted', retryAt: pick.at ?? now + BUSY_RETRY_MS };
    return { ...pick, forKey: true };
  };

  if (shared === null) return judgeAlone;
  return (waiter, ahead, now) => shared.exclusively(() => judgeAlone(waiter, ahead, now));
}

/** Creates a timer for one point in time: a new time replaces the previous one, and infinity stops the timer. */
function createAlarm(clock: Clock, ring: () => void): (at: number) => void {
  let alarm: { readonly at: number; readonly controller: AbortController } | null = null;
  return (at) => {
    if (alarm?.at === at) return;
    alarm?.controller.abort(MOVED);
    alarm = null;
    if (!Number.isFinite(at)) return;
    const set = { at, controller: new AbortController() };
    alarm = set;
    void clock.sleep(Math.max(1, at - clock.now()), set.controller.signal, 'key-pool').then(() => {
      if (alarm !== set) return;
      alarm = null;
      ring();
    });
  };
}

/**
 * The queue of calls that wait for a key. Calls of one pool, endpoint and model are served in order, so that none
 * starves. Only a call that has failed over passes the others, since it was served before them.
 */
export function createWaitingLine({ clock, ...parts }: LineParts) {
  const { state, shared } = parts;
  const line = new Set<Waiter>();
  const judge = createJudge(parts);

  /**
   * Serves the queue once. Returns when to try again; null means at once, because a grant may allow other calls to use
   * another tier.
   */
  const pass = (now: number): number | null => {
    // A model can be cooling while the keys serve other models, so each model has its own queue.
    const held = new Map<Ring, Map<string, KeyWait>>();
    let next = Number.POSITIVE_INFINITY;
    let given = false;
    for (const waiter of line) {
      const { ring, tried, order, give } = waiter;
      const { model } = order.request;
      const ahead = held.get(ring) ?? new Map<string, KeyWait>();
      const verdict = judge(waiter, tried.size === 0 ? ahead.get(model) : undefined, now);
      if (verdict.kind !== 'later') {
        line.delete(waiter);
        give(verdict);
        given = true;
        continue;
      }
      if (tried.size === 0 && verdict.forKey && !ahead.has(model)) held.set(ring, ahead.set(model, verdict));
      next = Math.min(next, verdict.at ?? next, verdict.forKey ? order.deadline : next);
    }
    return given && line.size > 0 ? null : next;
  };

  /** Must be called after each change that may have freed a key. */
  const serve = (): void => {
    shared?.pull();
    let next: number | null = null;
    while (next === null) next = pass(clock.now());
    wakeAt(next);
  };

  const wakeAt = createAlarm(clock, serve);

  const ask = (order: WorkOrder, bid: CallBid, { tried, failedWith }: Failures): Promise<Grant> =>
    new Promise((resolve, reject) => {
      const { request, pool, signal } = order;
      const leave = (): void => {
        line.delete(waiter);
        reject(signal.reason as Error);
        serve();
      };
      const waiter: Waiter = {
        order,
        ring: ringOf(state, pool, request.provider, request.baseUrl),
        endpoint: endpointGate(state, request.provider, request.baseUrl),
        bid,
        tried,
        failedWith,
        give: (grant) => {
          signal.removeEventListener('abort', leave);
          resolve(grant);
        },
      };
      if (signal.aborted) return reject(signal.reason as Error);
      signal.addEventListener('abort', leave, { once: true });
      line.add(waiter);
      serve();
    });

  return { ask, serve };
}

export type WaitingLine = ReturnType<typeof createWaitingLine>;
