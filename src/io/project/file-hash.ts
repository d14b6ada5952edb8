import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** The content of a file at one time. */
export interface HashedFile {
  /** SHA-256 in hex. */
  readonly hash: string;
  /** Device, inode, size and times. Equal stamps mean, with few exceptions, equal contents. */
  readonly stamp: string;
}

/** The last hash of each file, so that a file is read again only after it has changed. */
const known = new Map<string, HashedFile>();

/** The largest number of hashes that are kept. */
const MOST_KNOWN = 100_000;

function stampOf(file: string): string | null {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join('-');
  } catch {
    return null;
  }
}

/** Hashes a file; returns null if it can't be read. */
export function hashFile(file: string): HashedFile | null {
  const stamp = stampOf(file);
  if (stamp === null) return null;
  const before = known.get(file);
  if (before?.stamp === stamp) return before;
  try {
    const hashed = { stamp, hash: createHash('sha256').update(readFileSync(file)).digest('hex') };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(file, hashed);
    return hashed;
  } catch {
    return null;
  }
}

/**
 * Returns whether a file still has this content. The stamp is compared first: a module is checked before each of its
 * executions, and what it loads is compared byte by byte when it is loaded.
 */
export const isUnchanged = (file: string, { hash, stamp }: HashedFile): boolean =>
  stampOf(file) === stamp || hashFile(file)?.hash === hash;
