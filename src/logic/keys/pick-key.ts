import type { Amounts } from '#protocol/key-pool.ts';
import { keyAccount, type Cost, type Ledger, type Limit, mayBegin, nextDay } from './ledger.ts';
import { hasRoom, roomAt } from './minute-window.ts';
import { isUsable, modelGates, type PoolKey, restsUntil } from './pool-key.ts';
import { nextOf, type Ring, stayOn, type Tier } from './ring.ts';
import { blockedUntil, type Gate } from './key-state.ts';

export interface KeyRequest {
  readonly ring: Ring;
  readonly endpoint: Gate;
  readonly model: string;
  /** The id of the conversation, made of session and block; null if the call belongs to no conversation. */
  readonly conversation: string | null;
  /** Keys that have failed this call and would fail it again. */
  readonly tried: ReadonlySet<PoolKey>;
  /** The key of the last failure; another one is preferred, whatever the reason. */
  readonly failedWith: PoolKey | null;
  /** The minimum cost of the call. */
  readonly cost: Cost;
  /** The number of input tokens. */
  readonly input: number;
}

/** Why a key can't be used now. */
type KeyObstacle = 'resting' | 'tried' | 'budget' | 'budget_in_flight' | 'busy' | 'minute';

export type KeyChoice =
  | { readonly kind: 'key'; readonly key: PoolKey }
  /** A key may be free at the time `at`. `inFlight`: perhaps earlier, when a call in flight ends. */
  | { readonly kind: 'later'; readonly at: number | null; readonly inFlight: boolean }
  /** No key is left that this call has not tried. */
  | { readonly kind: 'none' };

export type KeyWait = Extract<KeyChoice, { readonly kind: 'later' }>;

const keyLimit = (ring: Ring): Amounts | null => ring.pool.budget.key ?? null;

/** Returns the daily limit of a key. */
export const limitOfKey = ({ definition }: PoolKey, amounts: Amounts, now: number): Limit => ({
  scope: 'key',
  account: keyAccount(definition.alias, now),
  amounts,
});

function budgetHinders(key: PoolKey, amounts: Amounts, ledger: Ledger, cost: Cost, now: number): KeyObstacle | null {
  const verdict = mayBegin(ledger, [limitOfKey(key, amounts, now)], cost);
  return verdict === 'yes' ? null : verdict === 'wait' ? 'budget_in_flight' : 'budget';
}

/** Returns whether the daily budget of the key is too small for any call. */
export function isSpent(key: PoolKey, ring: Ring, ledger: Ledger, now: number): boolean {
  const amounts = keyLimit(ring);
  return amounts !== null && budgetHinders(key, amounts, ledger, { microUsd: 0, tokens: 1 }, now) === 'budget';
}

/** Returns why a key can't be used, or null. */
function hindranceOf(key: PoolKey, wish: KeyRequest, ledger: Ledger, now: number): KeyObstacle | null {
  // Checked first: waiting for this key would not help the call.
  if (wish.tried.has(key)) return 'tried';
  if (restsUntil(key, wish.model) > now) return 'resting';
  const { concurrency, requestsPerMinute, tokensPerMinute } = wish.ring.pool;
  const amounts = keyLimit(wish.ring);
  const budget = amounts === null ? null : budgetHinders(key, amounts, ledger, wish.cost, now);
  if (budget !== null) return budget;
  if (concurrency !== null && key.inFlight >= concurrency) return 'busy';
  const limits = { requests: requestsPerMinute, tokens: tokensPerMinute };
  return hasRoom(key.window, limits, wish.input, now) ? null : 'minute';
}

/** Returns whether a healthy key is only limited by current load. */
const isOccupied = (hindrance: KeyObstacle): boolean =>
  hindrance === 'busy' || hindrance === 'minute' || hindrance === 'budget_in_flight';

function nextIn(
  tier: Tier,
  wish: KeyRequest,
  but: PoolKey | null,
  ledger: Ledger,
  now: number,
): PoolKey | 'occupied' | null {
  let occupied = false;
  const key = nextOf(tier, now, (one) => {
    if (one === but) return false;
    const hindrance = hindranceOf(one, wish, ledger, now);
    occupied ||= hindrance !== null && isOccupied(hindrance);
    return hindrance === null;
  });
  return key ?? (occupied ? 'occupied' : null);
}

function fromTier(tier: Tier, wish: KeyRequest, ledger: Ledger, now: number): PoolKey | 'occupied' | null {
  const { failedWith } = wish;
  const another = nextIn(tier, wish, failedWith, ledger, now);
  if (failedWith === null || (another !== null && another !== 'occupied')) return another;
  return nextIn(tier, wish, null, ledger, now);
}

const isHealthy = (key: PoolKey, model: string): boolean =>
  isUsable(key) &&
  [key.own, key.account, ...modelGates(key, model)].every(({ standing }) => standing.state === 'healthy');

/**
 * Returns the conversation's key if it is healthy, else null. Using the same key again benefits from the provider's
 * prompt cache.
 */
function known({ ring, conversation, model }: KeyRequest): PoolKey | null {
  const key = conversation === null ? undefined : ring.conversations.get(conversation);
  return key !== undefined && isHealthy(key, model) ? key : null;
}

type Free = { readonly at: number } | 'in_flight' | 'never';

function freeWhen(key: PoolKey, wish: KeyRequest, ledger: Ledger, now: number): Free {
  const { own, account } = key;
  switch (hindranceOf(key, wish, ledger, now)) {
    case null:
      return { at: now };
    case 'tried':
      return 'never';
    case 'resting': {
      const until = restsUntil(key, wish.model);
      if (Number.isFinite(until)) return { at: until };
      if (!isUsable(key) || own.standing.state === 'invalid') return 'never';
      const gates = [own, account, ...modelGates(key, wish.model)];
      return gates.some(({ standing }) => standing.probe !== null) ? 'in_flight' : 'never';
    }
    case 'budget':
      return { at: nextDay(now) };
    case 'minute': {
      const { requestsPerMinute: requests, tokensPerMinute: tokens } = wish.ring.pool;
      return { at: roomAt(key.window, { requests, tokens }, wish.input, now) };
    }
    case 'busy':
    case 'budget_in_flight':
      return 'in_flight';
  }
}

/** Returns when the conversation's own key is free. It may be in a later tier, which other calls may not use yet. */
function freeOwn(wish: KeyRequest, ledger: Ledger, now: number): Free {
  const key = known(wish);
  return key === null ? 'never' : freeWhen(key, wish, ledger, now);
}

/** Returns when the first key of the allowed tiers may be free. */
function soonest(wish: KeyRequest, ledger: Ledger, now: number): KeyChoice {
  const own = freeOwn(wish, ledger, now);
  let at: number | null = typeof own === 'object' ? own.at : null;
  let inFlight = own === 'in_flight';
  for (const { keys } of wish.ring.tiers) {
    let occupied = false;
    for (const key of keys) {
      const free = freeWhen(key, wish, ledger, now);
      if (free === 'in_flight') inFlight = true;
      else if (free !== 'never' && (at === null || free.at < at)) at = free.at;
      const hindrance = hindranceOf(key, wish, ledger, now);
      occupied ||= hindrance !== null && isOccupied(hindrance);
    }
    if (occupied) break;
  }
  return at === null && !inFlight ? { kind: 'none' } : { kind: 'later', at, inFlight };
}

/** Returns how long to wait for the endpoint and a key while the endpoint is cooling; null if it is not. */
function whileEndpointRests(wish: KeyRequest, ledger: Ledger, now: number): KeyChoice | null {
  const until = blockedUntil(wish.endpoint.standing);
  if (until <= now) return null;
  const keys = soonest(wish, ledger, now);
  if (keys.kind !== 'later') return keys;
  if (!Number.isFinite(until)) return { kind: 'later', at: null, inFlight: true };
  return { kind: 'later', at: keys.inFlight ? until : Math.max(until, keys.at ?? until), inFlight: false };
}

/**
 * Picks the key for a call. A later tier is used if the earlier ones have no healthy key. The function advances the
 * rotation, so the caller must use the result.
 */
export function pickKey(wish: KeyRequest, ledger: Ledger, now: number): KeyChoice {
  const rests = whileEndpointRests(wish, ledger, now);
  if (rests !== null) return rests;
  const stays = known(wish);
  const mayStay = stays !== null && hindranceOf(stays, wish, ledger, now) === null;
  if (mayStay && stays !== wish.failedWith) return { kind: 'key', key: stays };
  for (const tier of wish.ring.tiers) {
    const key = fromTier(tier, wish, ledger, now);
    if (key === 'occupied') break;
    if (key === null) continue;
    // A conversation whose own key is healthy keeps that key, even if this call could not use it.
    if (wish.conversation !== null && stays === null) stayOn(wish.ring, wish.conversation, key);
    return { kind: 'key', key };
  }
  return mayStay ? { kind: 'key', key: stays } : soonest(wish, ledger, now);
}

/**
 * Picks a key for a call that is not first in the queue. The call may take only the key of its conversation; otherwise
 * it waits as the calls `ahead` of it do.
 */
export function pickOwn(wish: KeyRequest, ahead: KeyWait, ledger: Ledger, now: number): KeyChoice {
  const key = known(wish);
  const free = freeOwn(wish, ledger, now);
  if (key === null || free === 'never') return ahead;
  const until = blockedUntil(wish.endpoint.standing);
  if (free === 'in_flight' || !Number.isFinite(until)) return { ...ahead, inFlight: true };
  const at = Math.max(free.at, until);
  return at <= now ? { kind: 'key', key } : { ...ahead, at: Math.min(at, ahead.at ?? at) };
}
