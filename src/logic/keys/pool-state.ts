import type { ProviderName } from '#protocol/provider.ts';
import type { KeyDefinition, KeySecrets, KeyTestFailure, PoolSettings } from '#protocol/key-pool.ts';
import { isLocalServer, keylessAlias } from '#protocol/local-server.ts';
import { CLASS_RULES } from './failure-policy.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import { createKey, endpointId, newGate, type PoolKey, refresh, trimmedUrl } from './pool-key.ts';
import { createRing, type Ring } from './ring.ts';
import {
  answered,
  failed,
  type Gate,
  HEALTHY,
  type PauseBounds,
  type Standing,
  type GateFailure,
} from './key-state.ts';

/**
 * The state of the pool. It belongs to one process and is changed synchronously, so picking and leasing a key is
 * atomic.
 */
export interface PoolState {
  /** The user's keys, and an entry without a secret for each server on this machine that is used without a key. */
  readonly keys: Map<string, PoolKey>;
  readonly gates: Map<string, Gate>;
  readonly ledger: Ledger;
  /** Rings by pool settings and endpoint: runs with the same pool share the rotation. */
  readonly rings: Map<string, Ring>;
  /** The largest output that a model accepts, by model, if it has refused a larger one. */
  readonly outputMaxima: Map<string, number>;
}

/** Creates the state. `stood` contains the states that the gates had at the end of the previous process. */
export function createPoolState(
  definitions: readonly KeyDefinition[],
  stood: ReadonlyMap<string, Standing>,
): PoolState {
  const gates = new Map(Array.from(stood, ([id, standing]) => [id, { ...newGate(id), standing }] as const));
  const gateOf = (id: string): Gate => openGate(gates, id);
  for (const id of stood.keys()) {
    const [, model, parent] = OF_MODEL.exec(id) ?? [];
    if (model !== undefined && parent !== undefined) gateOf(parent).models.set(decoded(model), gateOf(id));
  }
  const keys = new Map(definitions.map((definition) => [definition.alias, createKey(definition, gateOf)] as const));
  return { keys, gates, ledger: emptyLedger(), rings: new Map(), outputMaxima: new Map() };
}

function openGate(gates: Map<string, Gate>, id: string): Gate {
  const gate = gates.get(id) ?? newGate(id);
  gates.set(id, gate);
  return gate;
}

const OF_MODEL = /^model:([^:]*):(.+)$/s;

/** Decodes a model name. Damaged files may contain invalid names, which are returned unchanged. */
function decoded(model: string): string {
  try {
    return decodeURIComponent(model);
  } catch {
    return model;
  }
}

/** Returns the gate of a model, below a key or an account. */
export function modelGate(state: PoolState, parent: Gate, model: string): Gate {
  const known = parent.models.get(model);
  if (known !== undefined) return known;
  const gate = openGate(state.gates, `model:${encodeURIComponent(model.toWellFormed())}:${parent.id}`);
  parent.models.set(model, gate);
  return gate;
}

export const endpointGate = (state: PoolState, provider: ProviderName, baseUrl: string | null): Gate =>
  openGate(state.gates, endpointId(provider, baseUrl));

const written = new WeakMap<PoolSettings, string>();

function textOf(pool: PoolSettings): string {
  const known = written.get(pool);
  if (known !== undefined) return known;
  const text = JSON.stringify(pool);
  written.set(pool, text);
  return text;
}

/**
 * Adds the entry of a server that needs no key. It starts healthy: if the server has refused a request without a key
 * before, its settings may have changed since.
 */
function addKeyless(state: PoolState, provider: ProviderName, baseUrl: string): PoolKey {
  const alias = keylessAlias(baseUrl);
  const key = createKey({ alias, provider, baseUrl, account: null, keyless: true }, (id) => {
    const gate = newGate(id);
    state.gates.set(id, gate);
    return gate;
  });
  key.hasSecret = true;
  refresh(key);
  state.keys.set(alias, key);
  return key;
}

/** Returns the ring of a pool's keys that may be sent to an endpoint. */
export function ringOf(state: PoolState, pool: PoolSettings, provider: ProviderName, baseUrl: string | null): Ring {
  const url = trimmedUrl(baseUrl);
  const id = `${provider} ${url} ${textOf(pool)}`;
  const known = state.rings.get(id);
  if (known !== undefined) return known;
  const fitting = [...state.keys.values()].filter(
    ({ definition }) => definition.provider === provider && trimmedUrl(definition.baseUrl) === url,
  );
  const isFree = fitting.length === 0 && pool.keys === null && isLocalServer(provider, baseUrl);
  const ring = createRing(pool, isFree ? [addKeyless(state, provider, url)] : fitting);
  state.rings.set(id, ring);
  return ring;
}

/** Updates `hasSecret`, which is also true for a server that needs none: secrets can be added and removed at any time. */
export function refreshSecrets(state: PoolState, secrets: KeySecrets): void {
  for (const key of state.keys.values()) {
    const { alias, keyless } = key.definition;
    key.hasSecret = keyless === true || (secrets.get(alias) ?? '').trim() !== '';
    refresh(key);
  }
}

export function changeGate(state: PoolState, gate: Gate, standing: Standing): void {
  if (gate.standing === standing) return;
  gate.standing = standing;
  for (const key of state.keys.values()) if (key.own === gate || key.account === gate) refresh(key);
}

export function setDisabled(key: PoolKey, disabled: boolean): void {
  key.disabled = disabled;
  refresh(key);
}

function clear(state: PoolState, parent: Gate): void {
  for (const gate of [parent, ...parent.models.values()])
    changeGate(state, gate, { ...HEALTHY, epoch: gate.standing.epoch + 1 });
}

/** Resets the state of a key whose secret was replaced. */
export function renew(state: PoolState, key: PoolKey): void {
  key.generation += 1;
  clear(state, key.own);
}

/** Clears the state of a key that works, and of its account. */
function clearFailures(state: PoolState, key: PoolKey): void {
  setDisabled(key, false);
  renew(state, key);
  if (key.account !== key.own) clear(state, key.account);
}

/** The id of the call in which a person tests a key. */
const TEST_CALL = -1;

/**
 * Changes the state of a key and its account after a person has tested it. Failures of the endpoint, and those that the
 * request itself has caused, say nothing about the key.
 */
export function noteTest(state: PoolState, key: PoolKey, failure: KeyTestFailure | null, now: number): void {
  if (failure === null) return clearFailures(state, key);
  const { class: why, said, retryAt } = failure;
  const { policy, blames, as, pauses } = CLASS_RULES[why];
  const ofKey = blames === 'key' || blames === 'account';
  if (!ofKey || (policy !== 'cool' && policy !== 'disable')) return;
  const gate = blames === 'account' ? key.account : key.own;
  const trouble = { as: policy === 'disable' ? 'invalid' : as, why, said, retryAt } as const;
  noteTrouble(state, gate, { id: TEST_CALL, epoch: gate.standing.epoch }, trouble, pauses, now);
}

export const noteAnswer = (state: PoolState, gate: Gate, epoch: number): void =>
  changeGate(state, gate, answered(gate.standing, epoch));

export const noteTrouble = (
  state: PoolState,
  gate: Gate,
  call: { readonly id: number; readonly epoch: number },
  trouble: GateFailure,
  pauses: PauseBounds,
  now: number,
): void => changeGate(state, gate, failed(gate.standing, call, trouble, now, pauses));
