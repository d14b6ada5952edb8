import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';

/**
 * Path below the root with `/`, each byte of a name as one character: a name need not be UTF-8, and two that differ must not
 * become one.
 */
export type Key = string;

/** What is in the place of a name; links are never followed. */
export interface Entry {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly mode: number;
  readonly size: number;
  /** Numbers that change with each change of the file, as text. */
  readonly print: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** Of a link, each byte as one character. */
  readonly target: string | null;
}

export const placeOf = (root: string, key: Key): Buffer =>
  Buffer.concat([Buffer.from(root + path.sep), Buffer.from(key, 'latin1')]);

/** For people and for globs. */
export const nameOf = (key: Key): string => Buffer.from(key, 'latin1').toString('utf8');

/** Null: nothing is there. */
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

/** All that is below a root; what `skip` names is not looked at, nor what is in it. */
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
