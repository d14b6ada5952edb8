import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../../files/safe-path.ts';
import { type Entry, type Key, nameOf, placeOf } from './entries.ts';

const lexically = (root: string, key: Key, target: string): string =>
  path.resolve(path.dirname(path.join(root, nameOf(key))), Buffer.from(target, 'latin1').toString('utf8'));

/**
 * Returns whether a symbolic link leads out of the root, or to a protected file within it (`isKept`). The target of a
 * dangling link is resolved as text.
 */
export async function pointsOutside(
  root: string,
  key: Key,
  { kind, target }: Entry,
  isKept: (name: string) => boolean,
): Promise<boolean> {
  if (kind !== 'link') return false;
  const real = await realpath(placeOf(root, key)).catch(() => lexically(root, key, target ?? ''));
  if (!isInside(root, real)) return true;
  const name = path.relative(root, real).split(path.sep).join('/');
  return name !== '' && isKept(name);
}
