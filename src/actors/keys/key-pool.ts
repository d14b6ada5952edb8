import type { AiClient } from '#protocol/ai-call.ts';
import type { AiFact } from '#protocol/ai-fact.ts';
import type { CallSink } from '#protocol/finished-call.ts';
import type { Clock } from '#protocol/clock.ts';
import type {
  KeyDefinition,
  KeyReport,
  KeySecrets,
  NotedKeyTest,
  PoolResult,
  Prices,
  WorkOrder,
} from '#protocol/key-pool.ts';
import type { SharedLimits } from '#protocol/shared-limits.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Lease } from '#logic/keys/lease.ts';
import { type Cost, nextDay, overspent, overspentText } from '#logic/keys/ledger.ts';
import { isSpent } from '#logic/keys/pick-key.ts';
import { modelGates, modelReportOf, type PoolKey, reportOf } from '#logic/keys/pool-key.ts';
import {
  createPoolState,
  noteTest,
  refreshSecrets,
  type PoolState,
  renew,
  ringOf,
  setDisabled,
  endpointGate,
} from '#logic/keys/pool-state.ts';
import { blockedUntil, type Gate, HEALTHY, type Standing } from '#logic/keys/key-state.ts';
import { keyChanges } from './key-changes.ts';
import { type PoolFile, restoreLedger } from './pool-file.ts';
import { createSharedState, type SharedState } from './shared-state.ts';
import { createWaitingLine, limitsFor } from './waiting-line.ts';
import { type OrderParts, performOrder } from './work-order.ts';

export interface KeyPoolParts {
  /** The keys, in the order that the user has set. */
  readonly keys: readonly KeyDefinition[];
  readonly client: AiClient;
  readonly clock: Clock;
  readonly secrets: KeySecrets;
  /** Returns a fingerprint of a secret, or null if none can be made. */
  readonly fingerprintOf?: (secret: string) => string | null;
  readonly prices: Prices;
  readonly sink: CallSink;
  /** The file that stores the pool's state; null to keep it in memory. */
  readonly file: PoolFile | null;
  /** Limits shared by all processes of the user; absent: each process has its own. */
  readonly shared?: SharedLimits;
  /** Returns an id of this process among those that share the limits. */
  readonly newShareId?: () => string;
  /** Returns the id of a new call. */
  readonly newId: (order: WorkOrder) => string;
  /** Called with a message for the log. The pool keeps running. */
  readonly report: (message: string) => void;
}

/** The key pool, through which the model calls of all sessions go. */
interface KeyPool {
  /** Makes a call. Rejects with the signal's reason, or if the client fails; everything else is a result. */
  execute(order: WorkOrder): Promise<PoolResult>;
  /** Returns the state of every key. */
  table(): readonly KeyReport[];
  /** Switches a key off or on in this project, for a policy or a person. Returns false if there is no such key. */
  setDisabled(alias: string, disabled: boolean): boolean;
  /** Forgets the state of a key whose secret was replaced. */
  renew(alias: string): boolean;
  /** Notes a person's test of a key: if it works, cooling and failures of it and its account are cleared. */
  noteTest(test: NotedKeyTest): boolean;
  close(): void;
}

/** Returns a function that stores the key states that have changed since the last call. */
function keeper(state: PoolState, file: PoolFile | null, clock: Clock) {
  const written = new Map<Gate, Standing>(Array.from(state.gates.values(), (gate) => [gate, gate.standing]));
  const off = new Set(file?.remembered.disabled);
  const isWritten = (gate: Gate): boolean => {
    const { state: known, until, epoch } = written.get(gate) ?? HEALTHY;
    const { standing } = gate;
    return standing.state === known && standing.until === until && standing.epoch === epoch;
  };
  return (key: PoolKey, gates: readonly Gate[]): void => {
    if (file === null) return;
    for (const gate of new Set([key.own, key.account, ...gates])) {
      if (isWritten(gate)) continue;
      written.set(gate, gate.standing);
      file.note({ kind: 'stands', gate: gate.id, standing: gate.standing, at: clock.now() });
    }
    const { alias } = key.definition;
    if (off.has(alias) === key.disabled) return;
    if (key.disabled) off.add(alias);
    else off.delete(alias);
    file.note({ kind: 'disabled', key: alias, is: key.disabled });
  };
}

/** Treats a key whose secret differs from the one in the previous process as new, without any state. */
function lookForNewSecrets(
  state: PoolState,
  { secrets, fingerprintOf, file }: Pick<KeyPoolParts, 'secrets' | 'fingerprintOf' | 'file'>,
  keep: ReturnType<typeof keeper>,
): void {
  if (file === null) return;
  for (const key of state.keys.values()) {
    const { alias } = key.definition;
    const print = key.hasSecret ? (fingerprintOf?.(secrets.get(alias)?.trim() ?? '') ?? null) : null;
    const before = file.remembered.prints.get(alias);
    if (print === null || print === before) continue;
    file.note({ kind: 'secret', key: alias, print });
    if (before === undefined) continue;
    setDisabled(key, false);
    renew(state, key);
    keep(key, [...key.own.models.values()]);
  }
}

/**
 * Returns the states for a call that no key can serve: a healthy key can be held back by its endpoint, its budget, or
 * its rate limit.
 */
function tableFor(state: PoolState, { request, pool }: WorkOrder, now: number): readonly KeyReport[] {
  const { standing } = endpointGate(state, request.provider, request.baseUrl);
  const rests = blockedUntil(standing) > now;
  const ring = ringOf(state, pool, request.provider, request.baseUrl);
  const spent = (key: PoolKey): boolean => isSpent(key, ring, state.ledger, now);
  return ring.tiers
    .flatMap(({ keys }) => keys)
    .map((key) => {
      const report = reportOf(key, now);
      if (report.state !== 'healthy') return report;
      const ofModel = modelReportOf(key, request.model, now);
      if (ofModel !== null) return { ...ofModel, said: `${request.model}: ${ofModel.said}` };
      if (rests) return { ...report, until: standing.until, why: 'endpoint' as const, said: standing.said };
      return spent(key)
        ? { ...report, until: nextDay(now), why: 'budget' as const }
        : { ...report, why: 'busy' as const };
    });
}

function sharedStateOf(
  state: PoolState,
  { shared, secrets, fingerprintOf, clock, newShareId }: KeyPoolParts,
): SharedState | null {
  if (shared === undefined || fingerprintOf === undefined || newShareId === undefined) return null;
  return createSharedState({ state, shared, secrets, fingerprintOf, now: () => clock.now(), newId: newShareId });
}

export function createKeyPool(parts: KeyPoolParts): KeyPool {
  const { keys, clock, secrets, file } = parts;
  const state = createPoolState(keys, file?.remembered.standings ?? new Map());
  if (file !== null) restoreLedger(state.ledger, file.remembered);
  for (const alias of file?.remembered.disabled ?? []) {
    const key = state.keys.get(alias);
    if (key !== undefined) setDisabled(key, true);
  }
  refreshSecrets(state, secrets);
  const keep = keeper(state, file, clock);
  lookForNewSecrets(state, parts, keep);
  const shared = sharedStateOf(state, parts);
  const line = createWaitingLine({
    state,
    clock,
    shared,
    onLease: (lease) => {
      const { id, accounts, least } = lease;
      file?.note({ kind: 'begun', lease: id, at: clock.now(), accounts, cost: least });
      shared?.begun(lease);
    },
  });
  const keepAll = ({ key, model, endpoint }: Lease): void => keep(key, [endpoint, ...modelGates(key, model)]);
  const changesOf = keyChanges(state, clock);
  const reportFact = (order: WorkOrder, fact: AiFact): void => {
    try {
      order.onFact?.(fact);
    } catch (thrown) {
      parts.report(`a listener for the events of a call failed: ${messageOf(thrown)}`);
    }
  };
  /** Reports an attempt that cost more than was reserved for it, if a budget is exceeded by that. */
  const reportExcess = ({ reserved }: Lease, cost: Cost | null, order: WorkOrder): void => {
    const isMore = (cost?.microUsd ?? 0) > (reserved.microUsd ?? 0) || (cost?.tokens ?? 0) > reserved.tokens;
    const over = isMore ? overspent(state.ledger, limitsFor(order, clock.now())) : null;
    if (over !== null)
      parts.report(`${order.request.model} used more than its request allowed, so ${overspentText(over)}`);
  };
  const orders: OrderParts = {
    ...parts,
    state,
    line,
    reportFact,
    onText: (lease, order) => {
      keepAll(lease);
      for (const change of changesOf(lease)) reportFact(order, change);
      line.serve();
    },
    onProgress: ({ id }, cost) => file?.note({ kind: 'progress', lease: id, cost }),
    onEnd: (lease, cost, order) => {
      keepAll(lease);
      for (const change of changesOf(lease)) reportFact(order, change);
      file?.note({ kind: 'ended', lease: lease.id, cost });
      shared?.ended(lease, cost);
      reportExcess(lease, cost, order);
      line.serve();
    },
    onMissingSecret: () => refreshSecrets(state, secrets),
    tableFor: (order) => tableFor(state, order, clock.now()),
  };
  const change = (alias: string, how: (key: NonNullable<ReturnType<typeof state.keys.get>>) => void): boolean => {
    const key = state.keys.get(alias);
    if (key === undefined) return false;
    how(key);
    keep(key, [...key.own.models.values(), ...key.account.models.values()]);
    shared?.changed(key);
    line.serve();
    return true;
  };
  return {
    execute: (order) => performOrder(orders, order),
    close: () => shared?.close(),
    table: () => {
      shared?.pull();
      return Array.from(state.keys.values(), (key) => reportOf(key, clock.now()));
    },
    setDisabled: (alias, disabled) => change(alias, (key) => setDisabled(key, disabled)),
    renew: (alias) =>
      change(alias, (key) => {
        refreshSecrets(state, secrets);
        renew(state, key);
      }),
    noteTest: ({ alias, failure }) =>
      change(alias, (key) => {
        refreshSecrets(state, secrets);
        noteTest(state, key, failure, clock.now());
      }),
  };
}
