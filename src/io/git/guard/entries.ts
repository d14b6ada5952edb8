import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';

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

/** Returns the entry at a path, or null if nothing is there. */
export async function entryAt(place: Buffer): Promise<Entry | null> {
  const found = await lstat(place, { bigint: true }).catch(() => null);
  if (found === null) return null;
  const kind = found.isFile()
    ? 'file'
    : found.isDirectory()
      ? 'folder'
      : found.isSymbolicLink()
        ? ('link' as const)
        : 'other';
  return {
    kind,
    mode: Number(found.mode & 0o7777n),
    size: Number(found.size),
    print: [found.ino, found.size, found.mtimeNs, found.ctimeNs].join('-'),
    modifiedAt: Number(found.mtimeMs),
    target: kind === 'link' ? await readlink(place, { encoding: 'latin1' }).catch(() => '') : null,
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
  const visit = async (folder: Key): Promise<void> => {
    const place = folder === '' ? Buffer.from(root) : placeOf(root, folder);
    const names = await readdir(place, { encoding: 'latin1' }).catch(() => []);
    const folders: Key[] = [];
    await Promise.all(
      names.map(async (name) => {
        const key = folder === '' ? name : `${folder}/${name}`;
        if (skip(key)) return;
        const entry = await entryAt(placeOf(root, key));
        if (entry === null) return;
        found.set(key, entry);
        if (entry.kind === 'folder') folders.push(key);
      }),
    );
    for (const one of folders) await visit(one);
  };
  for (const one of from.length === 0 ? [''] : from) {
    const entry = one === '' ? null : await entryAt(placeOf(root, one));
    if (entry !== null) found.set(one, entry);
    if (one === '' || entry?.kind === 'folder') await visit(one);
  }
  return found;
}
