import { type Dirent, realpathSync } from 'node:fs';
import { glob, lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { checkPattern, checkRelativePath } from './path-rules.ts';
import { isInside, safePath } from './safe-path.ts';

export const isGlob = (pattern: string): boolean => /[*?[{]/.test(pattern);

const toPosix = (file: string): string => file.split(path.sep).join('/');

/** Returns the folder that a glob begins in: the parts before its first wildcard. */
const baseOf = (parts: readonly string[]): string => {
  const magic = parts.slice(0, -1).findIndex(isGlob);
  return parts.slice(0, magic === -1 ? -1 : magic).join('/');
};

function leadsInside(root: string, link: string): boolean {
  try {
    return isInside(root, realpathSync(link));
  } catch {
    return false;
  }
}

/**
 * Returns a predicate for entries that lie outside of the root. A glob can match `..` or the name of a link without
 * containing it, so each visited folder is checked.
 */
function outsideOf(root: string): (entry: Dirent) => boolean {
  const known = new Map<string, boolean>();
  const isKept = (folder: string): boolean => {
    const kept = known.get(folder) ?? leadsInside(root, folder);
    known.set(folder, kept);
    return kept;
  };
  return (entry) => {
    const place = path.resolve(root, entry.parentPath, entry.name);
    return !isInside(root, place) || !isKept(path.dirname(place)) || (entry.isSymbolicLink() && !isKept(place));
  };
}

function isAllowed(name: string): boolean {
  try {
    checkRelativePath(name);
    return true;
  } catch (thrown) {
    if (RoboSmithError.is(thrown, 'unsafe_path')) return false;
    throw thrown;
  }
}

/**
 * Returns the file whose name equals the pattern, or null. Brackets and braces may be part of a file name
 * (`app/[id]/page.tsx`); such a file takes precedence.
 */
async function fileCalled(root: string, name: string): Promise<string | null> {
  if (!isGlob(name) || !isAllowed(name)) return null;
  const file = path.join(root, ...checkRelativePath(name));
  const found = await lstat(file).catch(() => null);
  return found?.isFile() === true && leadsInside(root, file) ? toPosix(path.relative(root, file)) : null;
}

/**
 * Yields the files below a root that match a glob, as relative paths with `/`. `root` is absolute and has no links.
 * Nothing outside of the root is visited, and names that `checkRelativePath` rejects are left out, as are folders for
 * which `skip` returns true.
 */
export async function* globInside(
  root: string,
  pattern: string,
  skip: (name: string) => boolean = () => false,
): AsyncGenerator<string> {
  const base = baseOf(checkPattern(pattern));
  if (base !== '') await safePath(root, base);
  const called = await fileCalled(root, pattern);
  if (called !== null) yield called;
  const isOutside = outsideOf(root);
  const exclude = (entry: Dirent): boolean => isOutside(entry) || skip(entry.name);
  for await (const entry of glob(pattern, { cwd: root, withFileTypes: true, exclude })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    // The file may have been removed after it was listed.
    const real = await realpath(file).catch(() => null);
    if (real === null || !isInside(root, real)) continue;
    const name = toPosix(path.relative(root, file));
    if (name !== called && isAllowed(name)) yield name;
  }
}
