import type { SkipReason } from '../parse/classify.ts';
import type { OverlayEntry } from '../store/overlay-file.ts';

/**
 * The files of one worktree with their parse results. The database is shared by all worktrees; a file set limits
 * answers to one of them.
 */
export interface FileSet {
  readonly get: (path: string) => OverlayEntry | undefined;
  readonly paths: () => IterableIterator<string>;
  readonly entries: () => IterableIterator<OverlayEntry>;
  readonly size: () => number;
  /** Returns the paths whose parse result is this blob. Files with equal content share one blob. */
  readonly pathsOf: (blob: number) => readonly string[];
  readonly put: (entry: OverlayEntry) => void;
  readonly remove: (path: string) => void;
  readonly clear: () => void;
  /** A counter that grows whenever any file changes. */
  readonly version: () => number;
  /** A counter that grows whenever a path is added or removed. */
  readonly pathsVersion: () => number;
  readonly skipped: () => Readonly<Partial<Record<SkipReason, number>>>;
}

interface BlobPaths {
  readonly of: (blob: number) => readonly string[];
  readonly add: (blob: number, path: string) => void;
  readonly remove: (blob: number, path: string) => void;
  readonly clear: () => void;
}

/**
 * Maps blobs to their paths. Most blobs have one path, so a list is allocated only for a second one, to save memory.
 */
function blobPaths(): BlobPaths {
  const paths = new Map<number, string | string[]>();
  return {
    of: (blob) => {
      const found = paths.get(blob);
      return found === undefined ? [] : typeof found === 'string' ? [found] : found;
    },
    add: (blob, path) => {
      const found = paths.get(blob);
      if (found === undefined) paths.set(blob, path);
      else if (typeof found === 'string') paths.set(blob, [found, path].sort());
      else {
        found.push(path);
        found.sort();
      }
    },
    remove: (blob, path) => {
      const found = paths.get(blob);
      const rest = (typeof found === 'string' ? [found] : (found ?? [])).filter((one) => one !== path);
      const [only] = rest;
      if (only === undefined) paths.delete(blob);
      else paths.set(blob, rest.length === 1 ? only : rest);
    },
    clear: () => paths.clear(),
  };
}

export function createFileSet(): FileSet {
  const files = new Map<string, OverlayEntry>();
  const blobs = blobPaths();
  let version = 0;
  let pathsVersion = 0;
  const detach = (path: string): boolean => {
    const before = files.get(path);
    if (before === undefined) return false;
    if (before.blob !== null) blobs.remove(before.blob, path);
    return true;
  };
  return {
    get: (path) => files.get(path),
    paths: () => files.keys(),
    entries: () => files.values(),
    size: () => files.size,
    pathsOf: blobs.of,
    put: (entry) => {
      version += 1;
      if (!detach(entry.path)) pathsVersion += 1;
      files.set(entry.path, entry);
      if (entry.blob !== null) blobs.add(entry.blob, entry.path);
    },
    remove: (path) => {
      if (!detach(path)) return;
      files.delete(path);
      version += 1;
      pathsVersion += 1;
    },
    clear: () => {
      files.clear();
      blobs.clear();
      version += 1;
      pathsVersion += 1;
    },
    version: () => version,
    pathsVersion: () => pathsVersion,
    skipped: () => {
      const counts: Partial<Record<SkipReason, number>> = {};
      for (const { skipped } of files.values()) if (skipped !== null) counts[skipped] = (counts[skipped] ?? 0) + 1;
      return counts;
    },
  };
}
