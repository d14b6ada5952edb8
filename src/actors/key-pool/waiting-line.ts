import type { Clock } from '#protocol/clock.ts';
import type { Overspent, WorkOrder } from '#protocol/key-pool.ts';
import { accountsOf, type Cost, keyAccount, type Limit, limitsOf, mayBegin } from '#machines/key/ledger.ts';
import { beginLease, type Lease } from '#machines/key/lease.ts';
import { type KeyWait, type KeyChoice, pickKey, pickOwn } from '#machines/key/pick-key.ts';
import type { PoolKey } from '#machines/key/pool-key.ts';
import { endpointGate, type PoolState, ringOf } from '#machines/key/pool-state.ts';
import type { Ring } from '#machines/key/ring.ts';
import type { SharedState } from './shared-state.ts';
import type { Gate } from '#machines/key/key-state.ts';

export type Grant =
  | { readonly kind: 'lease'; readonly lease: Lease }
  /** No key is available before the deadline. */
  | { readonly kind: 'exhausted'; readonly retryAt: number | null }
  | { readonly kind: 'over_budget'; readonly over: Overspent };

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
  readonly cost: Cost;
  readonly give: (grant: Grant) => void;
}

/**
 * The decision about a waiting call. If `forKey` is true, later calls of the same pool, endpoint and model must wait
 * behind this one.
 */
type Verdict = Grant | (KeyWait & { readonly forKey: boolean });

/** The verdict that no money is left for the call: it waits until a call in flight has cost less than was reserved. */
const FOR_MONEY: KeyWait = { kind: 'later', at: null, inFlight: true };

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

const limitsFor = ({ budgets, pool, scope }: WorkOrder, now: number): readonly Limit[] => [
  ...limitsOf(budgets, scope, '', now),
  ...limitsOf(pool.budget, scope, `pool:${pool.name}:`, now),
];

/**
 * Decides about one waiting call. `ahead` is the verdict about an earlier call that waits for the same keys, if there
 * is one.
 */
type Judge = (waiter: Waiter, ahead: KeyWait | undefined, now: number) => Verdict;

function createJudge({ state, onLease, shared }: Omit<LineParts, 'clock'>): Judge {
  let lastLease = 0;

  const lend = (waiter: Waiter, key: PoolKey, now: number): Grant => {
    const { order, endpoint, cost } = waiter;
    const charged = limitsFor(order, now).map(({ account }) => account);
    const accounts = new Set([...accountsOf(order.scope, now), ...charged, keyAccount(key.definition.alias, now)]);
    const { model } = order.request;
    const lease = beginLease(state, { id: (lastLease += 1), key, model, endpoint, accounts: [...accounts], cost }, now);
    onLease(lease);
    return { kind: 'lease', lease };
  };

  const pickFor = (
    { ring, endpoint, order, tried, failedWith, cost }: Waiter,
    ahead: KeyWait | undefined,
    now: number,
  ): KeyChoice => {
    const { model } = order.request;
    const wish = { ring, endpoint, model, conversation: conversationOf(order), tried, failedWith, cost };
    return ahead === undefined ? pickKey(wish, state.ledger, now) : pickOwn(wish, ahead, state.ledger, now);
  };

  /** Returns a grant, or how long to wait. */
  const judgeAlone = (waiter: Waiter, ahead: KeyWait | undefined, now: number): Verdict => {
    const { order, cost } = waiter;
    const allowed = mayBegin(state.ledger, limitsFor(order, now), cost);
    if (typeof allowed === 'object') return { kind: 'over_budget', over: allowed };
    const pick = allowed === 'wait' ? FOR_MONEY : pickFor(waiter, ahead, now);
    if (pick.kind === 'key') return lend(waiter, pick.key, now);
    if (pick.kind === 'none') return { kind: 'exhausted', retryAt: null };
    const tooLate = pick.inFlight ? now >= order.deadline : pick.at === null || pick.at > order.deadline;
    if (tooLate) return { kind: 'exhausted', retryAt: pick.at ?? now + BUSY_RETRY_MS };
    return { ...pick, forKey: allowed === 'yes' };
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
      next = Math.min(next, verdict.at ?? next, order.deadline);
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

  const ask = (order: WorkOrder, cost: Cost, { tried, failedWith }: Failures): Promise<Grant> =>
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
        cost,
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
