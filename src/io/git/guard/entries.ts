import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { createTurnBudget } from '../../clock/turn-budget.ts';

/**
 * A path relative to the watched root, with `/` as separator. Each byte of a file name is one character (latin1),
 * because a name need not be valid UTF-8 and two different names must never map to the same key.
 */
export type Key = string;

/** What a file name refers to. Symbolic links are not followed. */
export interface Entry {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly mode: number;
  readonly size: number;
  /**
   * A fingerprint: inode, size, modification time and change time as text. It differs after every change of the file.
   */
  readonly print: string;
  /** The modification time in milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** The target of a symbolic link, one character per byte; null for everything else. */
  readonly target: string | null;
}

export const placeOf = (root: string, key: Key): Buffer =>
  Buffer.concat([Buffer.from(root + path.sep), Buffer.from(key, 'latin1')]);

/** Decodes a key as UTF-8, for messages and for matching with globs. */
export const nameOf = (key: Key): string => Buffer.from(key, 'latin1').toString('utf8');

function kindOf(found: BigIntStats): Entry['kind'] {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'folder';
  return found.isSymbolicLink() ? 'link' : 'other';
}

const entryOf = (found: BigIntStats, kind: Entry['kind'], target: string | null): Entry => ({
  kind,
  mode: Number(found.mode & 0o7777n),
  size: Number(found.size),
  print: `${found.ino}-${found.size}-${found.mtimeNs}-${found.ctimeNs}`,
  modifiedAt: Number(found.mtimeMs),
  target,
});

/** Returns the entry at a path, or null if nothing is there. */
export async function entryAt(place: Buffer): Promise<Entry | null> {
  const found = await lstat(place, { bigint: true }).catch(() => null);
  if (found === null) return null;
  const kind = kindOf(found);
  return entryOf(found, kind, kind === 'link' ? await readlink(place, { encoding: 'latin1' }).catch(() => '') : null);
}

const orElse = <Value>(call: () => Value, other: Value): Value => {
  try {
    return call();
  } catch {
    return other;
  }
};

/** Does the same as `entryAt` in this turn of the event loop, which takes a fifth of the time. */
function entryNow(place: Buffer): Entry | null {
  const found = orElse(() => lstatSync(place, { bigint: true, throwIfNoEntry: false }) ?? null, null);
  if (found === null) return null;
  const kind = kindOf(found);
  return entryOf(found, kind, kind === 'link' ? orElse(() => readlinkSync(place, { encoding: 'latin1' }), '') : null);
}

/**
 * The time in milliseconds for one call above which a file system counts as slow. Its calls are then made in parallel
 * by the thread pool, so that the event loop doesn't wait for them.
 */
const SLOW_MS = 0.2;

/** The number of calls after which the time for one is known. */
const ENOUGH = 50;

/** Reads the entries of folders, and chooses between calls in this turn of the event loop and in the thread pool. */
function createReader() {
  const turn = createTurnBudget();
  let calls = 0;
  let tookMs = 0;

  const now = async (places: readonly Buffer[]): Promise<readonly (Entry | null)[]> => {
    const entries: (Entry | null)[] = [];
    for (const place of places) {
      const began = performance.now();
      entries.push(entryNow(place));
      calls += 1;
      tookMs += performance.now() - began;
      const pause = turn();
      if (pause !== null) await pause;
    }
    return entries;
  };

  const isSlow = (): boolean => calls >= ENOUGH && tookMs > calls * SLOW_MS;

  return {
    names: (place: Buffer): Promise<readonly string[]> | readonly string[] =>
      isSlow()
        ? readdir(place, { encoding: 'latin1' }).catch(() => [])
        : orElse(() => readdirSync(place, { encoding: 'latin1' }), []),
    entries: (places: readonly Buffer[]): Promise<readonly (Entry | null)[]> =>
      isSlow() ? Promise.all(places.map(entryAt)) : now(places),
  };
}

/**
 * Returns all entries below a root, or below the keys in `from`. Entries for which `skip` returns true are left out,
 * together with everything inside them.
 */
export async function entriesBelow(
  root: string,
  skip: (key: Key) => boolean,
  from: readonly Key[] = [],
): Promise<Map<Key, Entry>> {
  const found = new Map<Key, Entry>();
  const reader = createReader();
  const visit = async (folder: Key): Promise<void> => {
    const names = await reader.names(folder === '' ? Buffer.from(root) : placeOf(root, folder));
    const keys = names.map((name) => (folder === '' ? name : `${folder}/${name}`)).filter((key) => !skip(key));
    const entries = await reader.entries(keys.map((key) => placeOf(root, key)));
    const folders: Key[] = [];
    for (const [index, key] of keys.entries()) {
      const entry = entries[index] ?? null;
      if (entry === null) continue;
      found.set(key, entry);
      if (entry.kind === 'folder') folders.push(key);
    }
    for (const one of folders) await visit(one);
  };
  for (const one of from.length === 0 ? [''] : from) {
    const entry = one === '' ? null : await entryAt(placeOf(root, one));
    if (entry !== null) found.set(one, entry);
    if (one === '' || entry?.kind === 'folder') await visit(one);
  }
  return found;
}
