import type { Dirent } from 'node:fs';
import { glob, lstat } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { isGlob } from '../../files/glob-inside.ts';
import { checkPattern, checkRelativePath } from '../../files/path-rules.ts';
import { safePath } from '../../files/safe-path.ts';

export interface Match {
  /** The path relative to the root, with `/`. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'refused';
  /** Why the path is refused; empty otherwise. */
  readonly why: string;
}

const NOBODY_MEANS = new Set(['.git', 'node_modules']);

/**
 * Returns the file or folder at a path; null if there is none. Symbolic links are followed if they lead to a place
 * inside of the root.
 */
async function matchOf(root: string, name: string): Promise<Match | null> {
  try {
    checkRelativePath(name);
    if (name.split('/').includes('.git')) return { path: name, kind: 'refused', why: 'git keeps its own files there' };
    const found = await lstat(await safePath(root, name)).catch(() => null);
    if (found === null) return null;
    if (found.isFile()) return { path: name, kind: 'file', why: '' };
    if (found.isDirectory()) return { path: name, kind: 'folder', why: '' };
    return { path: name, kind: 'refused', why: 'it is neither a file nor a folder' };
  } catch (thrown) {
    if (RoboSmithError.is(thrown, 'unsafe_path')) return { path: name, kind: 'refused', why: thrown.message };
    throw thrown;
  }
}

const parentsOf = (name: string): readonly string[] =>
  name.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));

/**
 * Returns the files and folders below a root that a path or a glob matches. The root is a path with symbolic links
 * resolved. Entries of a matched folder are not listed separately. `node_modules` and `.git` are searched only if the
 * pattern contains their name.
 */
export async function matchPaths(root: string, pattern: string): Promise<readonly Match[]> {
  try {
    checkPattern(pattern);
  } catch (thrown) {
    if (RoboSmithError.is(thrown, 'unsafe_path')) return [{ path: pattern, kind: 'refused', why: thrown.message }];
    throw thrown;
  }
  if (!isGlob(pattern)) {
    const one = await matchOf(root, path.posix.normalize(pattern).replace(/\/$/, ''));
    return one === null ? [] : [one];
  }
  const exclude = (entry: Dirent): boolean => NOBODY_MEANS.has(entry.name) && !pattern.includes(entry.name);
  const names: string[] = [];
  for await (const entry of glob(pattern, { cwd: root, exclude, withFileTypes: true }))
    names.push(path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
  const all = new Set(names);
  const tops = names.filter((name) => name !== '' && !parentsOf(name).some((parent) => all.has(parent))).sort();
  const found = await Promise.all(tops.map((name) => matchOf(root, name)));
  return found.filter((one) => one !== null);
}
