import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { OverlayEntry } from '../store/overlay-file.ts';
import type { FileSet } from './file-set.ts';
import { isSameStamp, stampOf } from './read-file.ts';

export interface FileChanges {
  /** Files to parse: those that are new, changed, or possibly changed right after they were read (racy). */
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

type Comparison = 'changed' | 'gone' | 'same';

/** Compares the metadata of one file on disk with the indexed state. */
function compareFile(root: string, path: string, known: OverlayEntry | undefined): Comparison {
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return 'gone';
  if (known === undefined || known.racy) return 'changed';
  return isSameStamp(known.stamp, stampOf(stats)) ? 'same' : 'changed';
}

const safely = (root: string, path: string, known: OverlayEntry | undefined): Comparison => {
  try {
    return compareFile(root, path, known);
  } catch {
    // The error can be ENOTDIR, for example: a parent folder in the path has become a file.
    return 'gone';
  }
};

/** Compares all listed files with the index. Indexed files that are not listed count as gone. */
export function findChanges(root: string, listed: readonly string[], files: FileSet): FileChanges {
  const changed: string[] = [];
  const gone = new Set(files.paths());
  for (const path of listed) {
    const known = files.get(path);
    const comparison = safely(root, path, known);
    if (comparison === 'gone') continue;
    gone.delete(path);
    if (comparison === 'changed') changed.push(path);
  }
  return { changed, gone: [...gone] };
}

/** Compares the given paths with the index, instead of all listed files. */
export function findChangesAmong(root: string, paths: Iterable<string>, files: FileSet): FileChanges {
  const changed: string[] = [];
  const gone: string[] = [];
  for (const path of paths) {
    const comparison = safely(root, path, files.get(path));
    if (comparison === 'changed') changed.push(path);
    else if (comparison === 'gone' && files.get(path) !== undefined) gone.push(path);
  }
  return { changed, gone };
}
