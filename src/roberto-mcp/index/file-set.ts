import type { SkipReason } from '../parse/classify.ts';
import type { OverlayEntry } from '../store/overlay-file.ts';

/** The files of a worktree with their parsed results: what makes an answer that of this worktree. */
export interface FileSet {
  readonly get: (path: string) => OverlayEntry | undefined;
  readonly paths: () => IterableIterator<string>;
  readonly entries: () => IterableIterator<OverlayEntry>;
  readonly size: () => number;
  /** Paths that hold this parsed result; several files may have one content. */
  readonly pathsOf: (blob: number) => readonly string[];
  readonly put: (entry: OverlayEntry) => void;
  readonly remove: (path: string) => void;
  readonly clear: () => void;
  /** Grows with every change of any file. */
  readonly version: () => number;
  /** Grows when a path comes or goes. */
  readonly pathsVersion: () => number;
  readonly skipped: () => Readonly<Partial<Record<SkipReason, number>>>;
}

interface BlobPaths {
  readonly of: (blob: number) => readonly string[];
  readonly add: (blob: number, path: string) => void;
  readonly remove: (blob: number, path: string) => void;
  readonly clear: () => void;
}

/** Most blobs have one path: a list for each would cost memory. */
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
