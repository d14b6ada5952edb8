import type { KeyDefinition, KeyReport } from '#protocol/key-pool.ts';
import { emptyWindow, type MinuteWindow } from './minute-window.ts';
import { blockedUntil, type Gate, HEALTHY, stateAt } from './key-state.ts';

/** A key with everything that decides whether it may be used. */
export interface PoolKey {
  readonly definition: KeyDefinition;
  readonly own: Gate;
  /**
   * The gate of the key's account, shared by all keys of the account. A key without an account has its own gate here.
   */
  readonly account: Gate;
  readonly window: MinuteWindow;
  disabled: boolean;
  /** A key without a secret can't be used. */
  hasSecret: boolean;
  inFlight: number;
  /** The number of secrets so far: results with an old secret say nothing about the new one. */
  generation: number;
  /**
   * No call uses this key before this time. Cached by `refresh`, so that picking among many keys is one comparison
   * each.
   */
  blockedUntil: number;
}

export const trimmedUrl = (baseUrl: string | null): string => (baseUrl ?? '').replace(/\/{1,20}$/, '');

/** Returns the endpoint's id, without user and password. */
export const endpointId = (provider: string, baseUrl: string | null): string =>
  `endpoint:${provider}:${trimmedUrl(baseUrl)
    .replace(/[?#].*$/s, '')
    .replace(/\/\/[^/@]{0,500}@/, '//')}`;

export function createKey(definition: KeyDefinition, gateOf: (id: string) => Gate): PoolKey {
  const { alias, provider, account } = definition;
  const own = gateOf(`key:${alias}`);
  return {
    definition,
    own,
    account: account === null ? own : gateOf(`account:${provider}:${account}`),
    window: emptyWindow(),
    disabled: false,
    hasSecret: false,
    inFlight: 0,
    generation: 0,
    blockedUntil: Number.POSITIVE_INFINITY,
  };
}

export const newGate = (id: string): Gate => ({ id, standing: HEALTHY, models: new Map() });

/** Returns the gates of a model for this key and for its account. */
export function modelGates({ own, account }: PoolKey, model: string): readonly Gate[] {
  const found = [own.models.get(model), account === own ? undefined : account.models.get(model)];
  return found.filter((gate) => gate !== undefined);
}

/** Returns the time before which no call of this model may use this key. */
export function restsUntil(key: PoolKey, model: string): number {
  const { own, account } = key;
  if (own.models.size === 0 && account.models.size === 0) return key.blockedUntil;
  return modelGates(key, model).reduce(
    (until, { standing }) => Math.max(until, blockedUntil(standing)),
    key.blockedUntil,
  );
}

const isOff = ({ disabled, definition }: PoolKey): boolean => disabled || definition.disabled === true;

/** Returns whether the key is enabled and has a secret. */
export const isUsable = (key: PoolKey): boolean => !isOff(key) && key.hasSecret;

/** Updates the cached time after a change of the key, its account or its secret. */
export function refresh(key: PoolKey): void {
  key.blockedUntil = isUsable(key)
    ? Math.max(blockedUntil(key.own.standing), blockedUntil(key.account.standing))
    : Number.POSITIVE_INFINITY;
}

const RANK = { invalid: 4, exhausted: 3, cooling: 2, half_open: 1, healthy: 0 } as const;

/** Reports the state of a model with this key; null if the model is not limited. */
export function modelReportOf(key: PoolKey, model: string, now: number): KeyReport | null {
  const gates = modelGates(key, model).filter(({ standing }) => standing.state !== 'healthy');
  const [longest] = gates.toSorted((one, other) => other.standing.until - one.standing.until);
  if (longest === undefined) return null;
  const { until, why, said } = longest.standing;
  const state = stateAt(longest.standing, now);
  return { alias: key.definition.alias, state, until: state === 'half_open' ? null : until, why, said };
}

/** Reports the state of the key and its account, without the limits of single models. */
export function reportOf(key: PoolKey, now: number): KeyReport {
  const { alias } = key.definition;
  const states = [key.own.standing, key.account.standing].map((standing) => ({
    standing,
    state: stateAt(standing, now),
  }));
  const [worst] = states.sort((one, other) => RANK[other.state] - RANK[one.state]);
  const { state, standing } = worst ?? { state: 'healthy' as const, standing: HEALTHY };
  const { why, said } = standing;
  if (isOff(key)) return { alias, state: 'disabled', until: null, why, said };
  if (!key.hasSecret) return { alias, state: 'invalid', until: null, why: 'no_secret', said: '' };
  if (state === 'invalid') return { alias, state, until: null, why, said };
  const until = Math.max(key.own.standing.until, key.account.standing.until);
  return { alias, state, until: state === 'cooling' || state === 'exhausted' ? until : null, why, said };
}
