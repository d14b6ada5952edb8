import type { AiFact } from '#protocol/ai-fact.ts';
import type { Clock } from '#protocol/clock.ts';
import type { Lease } from '#logic/keys/lease.ts';
import { modelGates, type PoolKey, reportOf } from '#logic/keys/pool-key.ts';
import type { PoolState } from '#logic/keys/pool-state.ts';
import { type Gate, HEALTHY, type Standing, stateAt } from '#logic/keys/key-state.ts';

type KeyChange = Extract<AiFact, { readonly type: 'key.changed' }>;

/** Returns a function that reports key states that have changed since the last call, each change once. */
export function keyChanges(state: PoolState, clock: Clock) {
  const seen = new Map<Gate, Standing>(Array.from(state.gates.values(), (gate) => [gate, gate.standing]));
  const reported = new Map<PoolKey, string>();
  const reportedModels = new Map<Gate, string>();
  const off = new Map(Array.from(state.keys.values(), (key) => [key, key.disabled] as const));

  const lookAt = (key: PoolKey): readonly KeyChange[] => {
    const { alias, state: now, until, why } = reportOf(key, clock.now());
    const text = `${now} ${String(until)}`;
    const before = reported.get(key) ?? 'healthy null';
    reported.set(key, text);
    return before === text ? [] : [{ type: 'key.changed', key: alias, model: null, state: now, until, why }];
  };
  for (const key of state.keys.values()) lookAt(key);

  const changed = (gates: readonly Gate[]): readonly Gate[] => {
    const found = gates.filter((gate) => (seen.get(gate) ?? HEALTHY) !== gate.standing);
    for (const gate of found) seen.set(gate, gate.standing);
    return found;
  };

  const ofModel = ({ key, model }: Pick<Lease, 'key' | 'model'>): readonly KeyChange[] => {
    const found = changed(modelGates(key, model)).map((gate): readonly KeyChange[] => {
      const { standing } = gate;
      const now = stateAt(standing, clock.now());
      const until = now === 'healthy' || now === 'half_open' ? null : standing.until;
      const text = `${now} ${String(until)}`;
      const before = reportedModels.get(gate) ?? 'healthy null';
      reportedModels.set(gate, text);
      if (before === text) return [];
      return [{ type: 'key.changed', key: key.definition.alias, model, state: now, until, why: standing.why }];
    });
    return found.flat();
  };

  /**
   * Returns the changes of the leased key and of the other keys of its account, because keys of one account change
   * together.
   */
  return (lease: Pick<Lease, 'key' | 'model'>): readonly KeyChange[] => {
    const { key } = lease;
    const gates = changed([...new Set([key.own, key.account])]);
    const isSame = gates.length === 0 && off.get(key) === key.disabled;
    if (isSame) return ofModel(lease);
    off.set(key, key.disabled);
    const touched = [...state.keys.values()].filter((one) => gates.includes(one.own) || gates.includes(one.account));
    return [...[...new Set([key, ...touched])].flatMap(lookAt), ...ofModel(lease)];
  };
}
