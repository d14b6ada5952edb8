import path from 'node:path';
import { createKeyPool, type KeyPoolParts, openPoolFile } from '#actors/keys/index.ts';
import { wallClock } from '#io/clock/clock.ts';
import { newId } from '#io/clock/identity.ts';
import { keyFingerprinter } from '#io/keys/key-fingerprints.ts';
import { hasSharedLimits, openSharedLimits } from '#io/user/shared-limits.ts';
import type { KeyReport } from '#protocol/key-pool.ts';
import type { KeyPlaces, LoadedKeys } from './load-keys.ts';

interface ProjectPoolParts extends Pick<KeyPoolParts, 'client' | 'prices' | 'sink' | 'report' | 'newId'> {
  /** The absolute path of the project. */
  readonly root: string;
  readonly places: KeyPlaces;
  readonly loaded: LoadedKeys;
  /** False to ignore the limits known to other processes. */
  readonly isShared?: boolean;
}

/** Creates the key pool of a project, with the stored state of earlier processes. */
export function projectPool({ root, places, loaded, report, isShared = true, ...parts }: ProjectPoolParts) {
  const file = openPoolFile({
    calls: places.calls,
    file: path.join(root, '.flow', 'key-pool.jsonl'),
    newId: () => newId(6),
    now: () => wallClock.now(),
    report,
  });
  const pool = createKeyPool({
    ...parts,
    report,
    file,
    clock: wallClock,
    keys: loaded.keys,
    secrets: { get: (alias) => loaded.secrets.get(alias) ?? null },
    fingerprintOf: keyFingerprinter(places, newId),
    ...(isShared ? { shared: openSharedLimits({ folder: places.folder, now: () => wallClock.now(), report }) } : {}),
    newShareId: () => newId(6),
  });
  const close = (): void => {
    pool.close();
    file.close();
  };
  return { ...pool, close };
}

/** Returns the state of all keys in a project. Only reads, so it works while another process owns the engine. */
export function projectKeyTable(root: string, places: KeyPlaces, loaded: LoadedKeys): readonly KeyReport[] {
  const refuse = (): never => {
    throw new Error('nothing is written here');
  };
  const calls = { ...places.calls, open: refuse, makeFolder: refuse };
  const nobody = { attempt: refuse };
  const pool = projectPool({
    root,
    places: { ...places, calls },
    loaded,
    client: nobody,
    report: () => undefined,
    prices: { microUsd: () => null },
    sink: { take: refuse },
    newId: refuse,
    isShared: hasSharedLimits(places.folder),
  });
  const table = pool.table();
  pool.close();
  return table;
}
