import type { KeyReport, UserKey } from '#protocol/key-pool.ts';
import { type KeyPlaces, loadKeys } from './load-keys.ts';
import { projectKeyTable } from './project-pool.ts';

/** A key, as it is displayed. */
export interface ListedKey extends UserKey {
  /** The tier in the user's order, from 1; null: after all tiers. */
  readonly tier: number | null;
  readonly hasSecret: boolean;
  /** Its state in the project; null outside of a project. */
  readonly report: KeyReport | null;
}

export interface KeyListing {
  readonly keys: readonly ListedKey[];
  readonly problems: readonly string[];
}

/** Lists the user's keys without their secrets. Contacts no provider. */
export async function listKeys(places: KeyPlaces, root: string | null): Promise<KeyListing> {
  const loaded = await loadKeys(places);
  const table = root === null ? [] : projectKeyTable(root, places, loaded);
  const keys = loaded.keys.map((key): ListedKey => {
    const tier = loaded.order.findIndex((one) => one.includes(key.alias));
    return {
      ...key,
      tier: tier < 0 ? null : tier + 1,
      hasSecret: loaded.secrets.has(key.alias),
      report: table.find(({ alias }) => alias === key.alias) ?? null,
    };
  });
  return { keys, problems: loaded.problems };
}
