import type { KeyReport, UserKey } from '#protocol/key-pool.ts';
import { type KeyPlaces, loadKeys } from './load-keys.ts';
import { projectKeyTable } from './project-pool.ts';

/** A key for people. */
export interface ListedKey extends UserKey {
  /** From 1, of the user's order; null: after all of them. */
  readonly tier: number | null;
  readonly hasSecret: boolean;
  /** How it stands in the project; null: there is no project here. */
  readonly report: KeyReport | null;
}

export interface KeyListing {
  readonly keys: readonly ListedKey[];
  readonly problems: readonly string[];
}

/** All keys of the user, none of their secrets. Asks no provider. */
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
