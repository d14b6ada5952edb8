import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SkipReason } from '../parse/classify.ts';

/** File metadata that identifies one state of a file on disk. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
}

/** One file of a worktree: its parse result, or the reason why it has none. */
export interface OverlayEntry {
  readonly path: string;
  readonly blob: number | null;
  readonly skipped: SkipReason | null;
  readonly stamp: FileStamp;
  /** True if the file may have changed after it was read although its time stamps are equal. */
  readonly racy: boolean;
}

export interface Overlay {
  readonly generation: string;
  readonly root: string;
  readonly entries: readonly OverlayEntry[];
}

const VERSION = 1;

interface Columns {
  readonly version: number;
  readonly generation: string;
  readonly root: string;
  /** Length of the prefix that each path has in common with the previous path. `rests` holds the remainders. */
  readonly shared: readonly number[];
  readonly rests: string;
  readonly blobs: readonly (number | string)[];
  readonly sizes: readonly number[];
  readonly mtimes: readonly number[];
  readonly ctimes: readonly number[];
  readonly inodes: readonly number[];
  readonly racy: readonly number[];
}

const deltas = (values: readonly number[]): number[] =>
  values.map((value, index) => Math.round((value - (values[index - 1] ?? 0)) * 1_000) / 1_000);

function sums(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum = Math.round((sum + value) * 1_000) / 1_000;
    return sum;
  });
}

function sharedLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}

/** Rounds times to microseconds, which is the precision of the stored numbers. */
export const roundStamp = ({ size, mtimeMs, ctimeMs, inode }: FileStamp): FileStamp => ({
  size,
  mtimeMs: Math.round(mtimeMs * 1_000) / 1_000,
  ctimeMs: Math.round(ctimeMs * 1_000) / 1_000,
  inode,
});

function toColumns({ generation, root, entries }: Overlay): Columns {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  const shared = sorted.map(({ path }, index) => sharedLength(path, sorted[index - 1]?.path ?? ''));
  const blobs = deltas(sorted.map(({ blob }) => blob ?? 0));
  return {
    version: VERSION,
    generation,
    root,
    shared,
    rests: sorted.map(({ path }, index) => path.slice(shared[index])).join('\n'),
    blobs: sorted.map(({ blob, skipped }, index) =>
      blob === null ? `${blobs[index] ?? 0} ${skipped ?? ''}` : (blobs[index] ?? 0),
    ),
    sizes: sorted.map(({ stamp }) => stamp.size),
    mtimes: deltas(sorted.map(({ stamp }) => stamp.mtimeMs)),
    ctimes: deltas(sorted.map(({ stamp }) => stamp.ctimeMs)),
    inodes: deltas(sorted.map(({ stamp }) => stamp.inode)),
    racy: sorted.flatMap(({ racy }, index) => (racy ? [index] : [])),
  };
}

function fromColumns(columns: Columns): Overlay | null {
  if (columns.version !== VERSION) return null;
  const rests = columns.rests === '' ? [] : columns.rests.split('\n');
  if (rests.length !== columns.shared.length) return null;
  const [mtimes, ctimes, inodes] = [sums(columns.mtimes), sums(columns.ctimes), sums(columns.inodes)];
  const split = columns.blobs.map((value) =>
    typeof value === 'number' ? { delta: value, skipped: null } : skippedOf(value),
  );
  const blobs = sums(split.map(({ delta }) => delta));
  const racy = new Set(columns.racy);
  let path = '';
  const entries = rests.map((rest, index): OverlayEntry => {
    path = path.slice(0, columns.shared[index]) + rest;
    const skipped = split[index]?.skipped ?? null;
    const stamp = {
      size: columns.sizes[index] ?? 0,
      mtimeMs: mtimes[index] ?? 0,
      ctimeMs: ctimes[index] ?? 0,
      inode: inodes[index] ?? 0,
    };
    return { path, blob: skipped === null ? (blobs[index] ?? 0) : null, skipped, stamp, racy: racy.has(index) };
  });
  return { generation: columns.generation, root: columns.root, entries };
}

function skippedOf(value: string): { readonly delta: number; readonly skipped: SkipReason } {
  const blank = value.indexOf(' ');
  return { delta: Number(value.slice(0, blank)), skipped: value.slice(blank + 1) as SkipReason };
}

/**
 * Writes the file list of a worktree atomically. Paths with a line feed are left out; the next start finds these files
 * again.
 */
export function writeOverlay(path: string, overlay: Overlay): number {
  const entries = overlay.entries.filter((entry) => !entry.path.includes('\n'));
  const bytes = deflateRawSync(JSON.stringify(toColumns({ ...overlay, entries })), { level: 6 });
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, bytes);
  renameSync(temporary, path);
  return bytes.length;
}

/**
 * Reads the file list of a worktree. Returns null if it is missing, damaged or belongs to another database generation.
 */
export function readOverlay(path: string, generation: string): Overlay | null {
  if (!existsSync(path)) return null;
  try {
    const columns = JSON.parse(inflateRawSync(readFileSync(path)).toString()) as Columns;
    const overlay = fromColumns(columns);
    return overlay?.generation === generation ? overlay : null;
  } catch {
    rmSync(path, { recursive: true, force: true });
    return null;
  }
}
