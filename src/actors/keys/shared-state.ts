import type { KeySecrets } from '#protocol/key-pool.ts';
import type { SharedLimits, SharedSpending } from '#protocol/shared-limits.ts';
import { type Cost, keyAccount, NOTHING_SPENT, type Spent } from '#logic/keys/ledger.ts';
import type { Lease } from '#logic/keys/lease.ts';
import { setOthers } from '#logic/keys/minute-window.ts';
import type { PoolKey } from '#logic/keys/pool-key.ts';
import { changeGate, modelGate, type PoolState } from '#logic/keys/pool-state.ts';
import { type Gate, HEALTHY, type Standing } from '#logic/keys/key-state.ts';
import { standingOf } from './pool-lines.ts';

interface SharedStateParts {
  readonly state: PoolState;
  readonly shared: SharedLimits;
  readonly secrets: KeySecrets;
  readonly fingerprintOf: (secret: string) => string | null;
  readonly now: () => number;
  /** Returns an id that distinguishes the requests of this process from those of others. */
  readonly newId: () => string;
}

/** Shares the state of keys with other processes of the same user. */
export interface SharedState {
  /** Reads the states that other processes have written since the last call. */
  pull(): void;
  /** Runs `work` with the latest state of all processes, while none of them writes. */
  exclusively<Value>(work: () => Value): Value;
  /** Publishes a person's change of a key. */
  changed(key: PoolKey): void;
  begun(lease: Lease): void;
  ended(lease: Lease, cost: Cost | null): void;
  close(): void;
}

const MINUTE_MS = 60_000;

const amountsOf = ({ microUsd, tokens }: Cost, sign: 1 | -1): SharedSpending => ({
  microUsd: sign * (microUsd ?? 0),
  tokens: sign * tokens,
  requests: sign,
  unpriced: microUsd === null ? sign : 0,
});

const minus = (one: SharedSpending, other: Spent): Spent => ({
  microUsd: one.microUsd - other.microUsd,
  tokens: one.tokens - other.tokens,
  requests: one.requests - other.requests,
  unpriced: one.unpriced - other.unpriced,
});

const parsed = (body: string): Standing | null => {
  try {
    return standingOf(JSON.parse(body) as unknown);
  } catch {
    return null;
  }
};

const isSame = (one: Standing, other: Standing): boolean =>
  one.state === other.state && one.until === other.until && one.epoch === other.epoch;

/**
 * Maps the gates and keys of this process to names that all processes of the user share. The names contain fingerprints
 * of the secrets.
 */
function sharedNames({ state, secrets, fingerprintOf }: SharedStateParts) {
  const prints = new Map<string, string | null>();
  const printFor = (secret: string): string | null => {
    const known = prints.get(secret);
    if (known !== undefined) return known;
    const print = fingerprintOf(secret);
    prints.set(secret, print);
    return print;
  };
  const keyName = ({ definition, hasSecret }: PoolKey): string | null => {
    const secret = hasSecret ? (secrets.get(definition.alias)?.trim() ?? '') : '';
    return secret === '' ? null : printFor(secret);
  };
  /** Returns the gates by their shared names, including those of models. */
  const gates = (): ReadonlyMap<string, Gate> => {
    const named = new Map<string, Gate>();
    for (const key of state.keys.values()) {
      const name = keyName(key);
      if (name === null) continue;
      named.set(`key:${name}`, key.own);
      if (key.account !== key.own) named.set(key.account.id, key.account);
    }
    return named;
  };
  return { keyName, gates };
}

const OF_MODEL = /^model:([^:]*):(.+)$/s;

/** Returns the gate with this shared name; null if no key of this process uses it. */
function gateNamed(name: string, state: PoolState, gates: ReadonlyMap<string, Gate>): Gate | null {
  const [, model, parent] = OF_MODEL.exec(name) ?? [];
  if (model === undefined || parent === undefined) return gates.get(name) ?? null;
  const found = gates.get(parent);
  try {
    return found === undefined ? null : modelGate(state, found, decodeURIComponent(model));
  } catch {
    return null;
  }
}

function adoptStandings({ state, shared }: SharedStateParts, gates: ReadonlyMap<string, Gate>): void {
  for (const [name, { body }] of shared.standings()) {
    const gate = gateNamed(name, state, gates);
    const theirs = parsed(body);
    if (gate === null || theirs === null) continue;
    const own = gate.standing;
    if (theirs.epoch < own.epoch || isSame(own, theirs)) continue;
    if (
      theirs.epoch === own.epoch &&
      own.state !== 'healthy' &&
      theirs.state !== 'healthy' &&
      theirs.until <= own.until
    )
      continue;
    changeGate(state, gate, { ...theirs, probe: own.probe });
  }
}

export function createSharedState(parts: SharedStateParts): SharedState {
  const { state, shared, now, newId } = parts;
  const names = sharedNames(parts);
  const own = newId();
  /** The part of the shared spending that stands for this process's calls in flight, by account. */
  const published = new Map<string, Spent>();
  const written = new Map<string, Standing>();
  let version: number | null = null;

  const adoptKey = (key: PoolKey, name: string): void => {
    const at = now();
    const others = shared.requests(name, at - MINUTE_MS).filter(({ id }) => !id.startsWith(`${own}.`));
    setOthers(key.window, others, at);
    const account = keyAccount(key.definition.alias, at);
    const sum = shared.spent(keyAccount(name, at));
    const known = state.ledger.spent.get(account);
    if (sum === null && known !== undefined) shared.spend(keyAccount(name, at), known, at);
    if (sum !== null) state.ledger.spent.set(account, minus(sum, published.get(account) ?? NOTHING_SPENT));
  };
  const adopt = (): void => {
    adoptStandings(parts, names.gates());
    for (const key of state.keys.values()) {
      const name = names.keyName(key);
      if (name !== null) adoptKey(key, name);
    }
  };
  const pull = (): void => {
    const latest = shared.version();
    if (latest === null || latest === version) return;
    version = latest;
    adopt();
  };
  const push = (key: PoolKey, models: Iterable<string>): void => {
    const name = names.keyName(key);
    if (name === null) return;
    const roots: readonly (readonly [string, Gate])[] =
      key.account === key.own
        ? [[`key:${name}`, key.own]]
        : [
            [`key:${name}`, key.own],
            [key.account.id, key.account],
          ];
    const ofModels = roots.flatMap(([parent, gate]) =>
      [...models].flatMap((model): readonly (readonly [string, Gate])[] => {
        const one = gate.models.get(model);
        return one === undefined ? [] : [[`model:${encodeURIComponent(model.toWellFormed())}:${parent}`, one]];
      }),
    );
    for (const [id, { standing }] of [...roots, ...ofModels]) {
      if (isSame(written.get(id) ?? HEALTHY, standing)) continue;
      written.set(id, standing);
      shared.putStanding(id, { epoch: standing.epoch, body: JSON.stringify({ ...standing, probe: null }) }, now());
    }
  };
  const idOf = ({ id }: Lease): string => `${own}.${id}`;
  /**
   * Publishes the cost of the input of a call in flight, or withdraws it. The whole reservation is not published: to
   * another process, a key whose budget is reserved would look spent until the next day.
   */
  const publish = ({ key, entry, least }: Lease, name: string, sign: 1 | -1): void => {
    const account = keyAccount(key.definition.alias, entry.at);
    const amounts = amountsOf(least, sign);
    published.set(account, minus(published.get(account) ?? NOTHING_SPENT, amountsOf(least, sign === 1 ? -1 : 1)));
    shared.spend(keyAccount(name, entry.at), amounts, entry.at);
  };

  return {
    pull,
    exclusively: (work) =>
      shared.exclusively(() => {
        pull();
        return work();
      }),
    changed: (key) => push(key, new Set([...key.own.models.keys(), ...key.account.models.keys()])),
    begun: (lease) => {
      const name = names.keyName(lease.key);
      if (name === null) return;
      const { entry, least } = lease;
      shared.putRequest(name, { id: idOf(lease), at: entry.at, tokens: least.tokens });
      publish(lease, name, 1);
    },
    ended: (lease, cost) => {
      push(lease.key, [lease.model]);
      const name = names.keyName(lease.key);
      if (name === null) return;
      const { entry } = lease;
      shared.putRequest(name, { id: idOf(lease), at: entry.at, tokens: cost?.tokens ?? 0 });
      publish(lease, name, -1);
      if (cost !== null) shared.spend(keyAccount(name, entry.at), amountsOf(cost, 1), entry.at);
    },
    close: () => shared.close(),
  };
}
