import { type Dirent, realpathSync } from 'node:fs';
import { glob, lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { checkPattern, checkRelativePath } from './path-rules.ts';
import { isInside, safePath } from './safe-path.ts';

export const isGlob = (pattern: string): boolean => /[*?[{]/.test(pattern);

const toPosix = (file: string): string => file.split(path.sep).join('/');

/** The folder that a glob begins in: its parts before the first wildcard. */
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

/** A glob can write `..`, and the name of a link, in ways that its text does not show: each folder that it comes to is looked at. */
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

/** Brackets and braces may belong to a name (`app/[id]/page.tsx`): whoever writes the name of a file means that file. */
async function fileCalled(root: string, name: string): Promise<string | null> {
  if (!isGlob(name) || !isAllowed(name)) return null;
  const file = path.join(root, ...checkRelativePath(name));
  const found = await lstat(file).catch(() => null);
  return found?.isFile() === true && leadsInside(root, file) ? toPosix(path.relative(root, file)) : null;
}

/**
 * The files below a root (absolute, without links) that match, with `/`, and that SafePath lets pass. Nothing outside is
 * walked, links included; what `skip` names is not walked.
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
    // It may be gone by now.
    const real = await realpath(file).catch(() => null);
    if (real === null || !isInside(root, real)) continue;
    const name = toPosix(path.relative(root, file));
    if (name !== called && isAllowed(name)) yield name;
  }
}
