import type { PoolSettings } from '#protocol/key-pool.ts';
import type { PoolKey } from './pool-key.ts';

/** The keys of one tier, and the position of the rotation. */
export interface Tier {
  readonly keys: readonly PoolKey[];
  /** The number of turns that each key gets per round; at least 1, so that every key gets a turn. */
  readonly shares: readonly number[];
  readonly credits: number[];
  cursor: number;
}

/** The keys of a pool that fit one endpoint, in tiers. */
export interface Ring {
  readonly pool: PoolSettings;
  readonly tiers: readonly Tier[];
  /** The key of each conversation, least recently used first. */
  readonly conversations: Map<string, PoolKey>;
}

const CONVERSATIONS_KEPT = 10_000;

function tierOf(keys: readonly PoolKey[], pool: PoolSettings): Tier {
  const weights = keys.map(({ definition }) => pool.weights[definition.alias] ?? 1);
  const least = Math.min(...weights);
  const shares = weights.map((weight) => weight / least);
  return { keys, shares, credits: [...shares], cursor: 0 };
}

/** Creates a ring. `keys`: all that fit the endpoint, in the user's order. */
export function createRing(pool: PoolSettings, keys: readonly PoolKey[]): Ring {
  const byAlias = new Map(keys.map((key) => [key.definition.alias, key]));
  const left = new Set(pool.keys === null ? keys : pool.keys.flatMap((alias) => byAlias.get(alias) ?? []));
  const named = pool.tiers.map((aliases) =>
    aliases.flatMap((alias) => {
      const key = byAlias.get(alias);
      return key !== undefined && left.delete(key) ? [key] : [];
    }),
  );
  const tiers = [...named, [...left]].filter((tier) => tier.length > 0);
  return { pool, tiers: tiers.map((tier) => tierOf(tier, pool)), conversations: new Map() };
}

export function stayOn(ring: Ring, conversation: string, key: PoolKey): void {
  const { conversations } = ring;
  conversations.delete(conversation);
  conversations.set(conversation, key);
  if (conversations.size <= CONVERSATIONS_KEPT) return;
  const [oldest] = conversations.keys();
  if (oldest !== undefined) conversations.delete(oldest);
}

/** Moves on to the next key, and refills the current key's credits by its share for its next turn. */
function moveOn(tier: Tier, left: number): void {
  const at = tier.cursor;
  tier.credits[at] = left + (tier.shares[at] ?? 1);
  tier.cursor = at + 1 === tier.keys.length ? 0 : at + 1;
}

/**
 * Returns the next key of a tier that may be used, or null. Per round, each key is returned as often as its share
 * states. A key that is skipped loses the rest of its turn.
 */
export function nextOf(tier: Tier, now: number, may: (key: PoolKey) => boolean): PoolKey | null {
  const { keys, shares, credits } = tier;
  for (let passed = 0; passed < keys.length; passed += 1) {
    const at = tier.cursor;
    const key = keys[at];
    if (key === undefined) return null;
    // Checked inline for speed, because most keys of a large pool may be cooling.
    if (key.blockedUntil > now || !may(key)) {
      credits[at] = shares[at] ?? 1;
      tier.cursor = at + 1 === keys.length ? 0 : at + 1;
      continue;
    }
    const credit = (credits[at] ?? 1) - 1;
    if (credit < 1) moveOn(tier, credit);
    else credits[at] = credit;
    return key;
  }
  return null;
}
