import { randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { isObject, type JsonValue, parseJsonObject } from '#protocol/json.ts';
import { renameWithRetries } from './retry-rename.ts';
import { syncFolder } from '../files/sync-folder.ts';

/** The fingerprint of a file, which distinguishes it from a file that another process has put in its place. */
export interface Fingerprint {
  readonly ino: string;
  readonly size: string;
  readonly mtime: string;
}

export interface RecordedMove {
  /** The path below the root, without links, with `/`. */
  readonly path: string;
  /**
   * The names of temporary files beside the target: `from` for the new content until it is moved, `kept` for the old
   * one.
   */
  readonly from: string;
  readonly kept: string | null;
  /** The fingerprint of the new content; null in a plan. */
  readonly print: Fingerprint | null;
}

/**
 * The undo log of a transaction. If the process of the transaction is killed, the next transaction uses this log to
 * clean up.
 */
interface WriteRecord {
  readonly moves: readonly RecordedMove[];
  /** The folders created for new files, outer ones first; paths relative to the root. */
  readonly folders: readonly string[];
}

/**
 * The phase of a transaction; each has an undo log file of its own, which is written atomically. `plan`: no target has
 * changed yet. `moving`: files are being moved to their targets. `done`: all are moved, and only temporary files may be
 * left.
 */
export type Phase = 'plan' | 'moving' | 'done';

const fileOf = (folder: string, phase: Phase): string => path.join(folder, `${phase}.json`);

export async function saveRecord(folder: string, phase: Phase, record: WriteRecord): Promise<void> {
  const temporary = path.join(folder, `${randomUUID()}.tmp`);
  const handle = await open(temporary, 'wx');
  try {
    await handle.writeFile(JSON.stringify(record));
    // The plan is not synced: without it, a power loss leaves nothing worse than temporary files.
    if (phase !== 'plan') await handle.datasync();
  } finally {
    await handle.close();
  }
  await renameWithRetries(temporary, fileOf(folder, phase));
}

/** Commits the transaction: from now on it is never rolled back, not even after a power loss. */
export async function markDone(folder: string): Promise<void> {
  await renameWithRetries(fileOf(folder, 'moving'), fileOf(folder, 'done'));
  await syncFolder(folder);
}

/**
 * Removes the undo log. The file of the phase `plan` is removed last, because it is the only one that never causes a
 * change of a project file.
 */
export async function forgetRecord(folder: string): Promise<void> {
  for (const phase of ['moving', 'done', 'plan'] as const) await rm(fileOf(folder, phase), { force: true });
}

export const temporaryName = (): string => `.robosmith-${randomUUID()}.tmp`;

/** Matches the names that `temporaryName` returns. */
export const TEMPORARY = /^\.robosmith-[0-9a-f-]{36}\.tmp$/;

const isTemporary = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && TEMPORARY.test(value);

function readFingerprint(value: JsonValue | undefined): Fingerprint | null {
  if (!isObject(value)) return null;
  const { ino, size, mtime } = value;
  return typeof ino === 'string' && typeof size === 'string' && typeof mtime === 'string' ? { ino, size, mtime } : null;
}

/** Parses one entry of an undo log; returns none if it is invalid, since a project may contain a file of that name. */
function moveIn(value: JsonValue): readonly RecordedMove[] {
  if (!isObject(value)) return [];
  const { path: file, from, kept, print } = value;
  if (typeof file !== 'string' || !isTemporary(from)) return [];
  return [{ path: file, from, kept: isTemporary(kept) ? kept : null, print: readFingerprint(print) }];
}

const isMissing = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';

const damaged = (file: string, cause?: unknown): RoboSmithError =>
  new RoboSmithError(
    'io',
    `a write was interrupted, and its undo log ${file} can't be read. Compare the files (git status, git diff) with their old contents beside them (.robosmith-….tmp), then remove the undo log`,
    { path: file },
    cause,
  );

/**
 * Reads the undo log of a phase, or returns null if there is none. An unreadable log of the phase `plan` is ignored,
 * because nothing was changed yet. For other phases `io` is thrown, because it is unknown which files are affected.
 */
export async function readRecord(folder: string, phase: Phase): Promise<WriteRecord | null> {
  const file = fileOf(folder, phase);
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    if (phase === 'plan' || isMissing(thrown)) return null;
    throw damaged(file, thrown);
  });
  const kept = text === null ? null : parseJsonObject(text);
  if (text !== null && kept === null && phase !== 'plan') throw damaged(file);
  if (kept === null) return null;
  const { moves, folders } = kept;
  return {
    moves: Array.isArray(moves) ? (moves as readonly JsonValue[]).flatMap(moveIn) : [],
    folders: Array.isArray(folders) ? folders.filter((one): one is string => typeof one === 'string') : [],
  };
}
