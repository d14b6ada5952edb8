import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { OverlayEntry } from '../store/overlay-file.ts';
import type { FileSet } from './file-set.ts';
import { isSameStamp, stampOf } from './stamp.ts';

export interface Changes {
  /** Files to read: new, changed, or read too soon after a write. */
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

type Comparison = 'changed' | 'gone' | 'same';

/** Compares one file on disk with what is known of it. */
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
    // ENOTDIR: a folder of the path has become a file.
    return 'gone';
  }
};

/** Compares the listed files with what is known; known files that are not listed are gone. */
export function findChanges(root: string, listed: readonly string[], files: FileSet): Changes {
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

/** Compares known files only. */
export function findChangesAmong(root: string, paths: Iterable<string>, files: FileSet): Changes {
  const changed: string[] = [];
  const gone: string[] = [];
  for (const path of paths) {
    const comparison = safely(root, path, files.get(path));
    if (comparison === 'changed') changed.push(path);
    else if (comparison === 'gone' && files.get(path) !== undefined) gone.push(path);
  }
  return { changed, gone };
}
