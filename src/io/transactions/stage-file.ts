import { link, lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { BigIntStats } from 'node:fs';
import { type Identity, openInside } from '../files/open-inside.ts';
import { type Fingerprint, temporaryName } from './undo-log.ts';
import type { Target } from './write-target.ts';

const fingerprintFrom = ({ ino, size, mtimeNs }: BigIntStats): Fingerprint => ({
  ino: String(ino),
  size: String(size),
  mtime: String(mtimeNs),
});

/** Returns the fingerprint of a file, or null if it is no ordinary file. */
export async function fingerprintOf(file: string): Promise<Fingerprint | null> {
  const found = await lstat(file, { bigint: true }).catch(() => null);
  return found?.isFile() === true ? fingerprintFrom(found) : null;
}

export const isSame = (left: Fingerprint | null, right: Fingerprint | null): boolean =>
  left !== null && left.ino === right?.ino && left.size === right.size && left.mtime === right.mtime;

/**
 * A target with two temporary files beside it: `from` holds the new content until it is moved, `kept` the old one.
 * `kept` is null if there is no old file.
 */
export interface PlannedMove extends Target {
  readonly from: string;
  readonly kept: string | null;
}

export interface StagedFile extends PlannedMove {
  /** The identity of the file with the new content, which stays the same when the file is renamed. */
  readonly identity: Identity;
  readonly print: Fingerprint;
}

export function planned(target: Target): PlannedMove {
  const beside = (name: string): string => path.join(path.dirname(target.file), name);
  return { ...target, from: beside(temporaryName()), kept: target.mode === null ? null : beside(temporaryName()) };
}

const OWNER_ONLY = 0o600;

/**
 * Creates and syncs a file. Nothing is written until it is certain that the path leads through no link to another
 * place.
 */
async function create(
  input: string,
  file: string,
  content: string | Uint8Array,
  mode: number | null,
): Promise<Pick<StagedFile, 'identity' | 'print'>> {
  // The file gets its final mode only after writing; until then only its owner may read it.
  const handle = await openInside(input, file, 'create', mode === null ? undefined : OWNER_ONLY);
  try {
    await handle.writeFile(content);
    if (mode !== null) await handle.chmod(mode);
    await handle.sync();
    const identity = await handle.stat({ bigint: true });
    return { identity, print: fingerprintFrom(identity) };
  } finally {
    await handle.close();
  }
}

/** Writes the new content to a temporary file beside the target. */
export async function stage(move: PlannedMove): Promise<StagedFile> {
  const { input, file, mode, from } = move;
  const { content } = move.wanted;
  // Another branch of the run may create the folder at the same time.
  await mkdir(path.dirname(file), { recursive: true });
  return { ...move, ...(await create(input, from, content, mode)) };
}

async function copy(input: string, from: string, to: string, mode: number | null): Promise<void> {
  const handle = await openInside(input, from, 'read');
  try {
    await create(input, to, await handle.readFile(), mode);
  } finally {
    await handle.close();
  }
}

/** Keeps the old content under a second name: a hard link where the file system has them, else a copy. */
export async function keep({ input, file, mode, kept }: PlannedMove): Promise<void> {
  if (kept === null) return;
  await link(file, kept).catch(() => copy(input, file, kept, mode));
}
