import { randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { parseJsonObject } from '#protocol/json-object.ts';
import { patientRename } from './retry-rename.ts';
import { syncFolder } from '../files/sync-folder.ts';

/** What tells a new file from whatever somebody else may put in its place. */
export interface Print {
  readonly ino: string;
  readonly size: string;
  readonly mtime: string;
}

export interface RecordedMove {
  /** Below the root, without links, with `/`. */
  readonly path: string;
  /** Names beside it: of the new content until it is moved, and of the old one. */
  readonly from: string;
  readonly kept: string | null;
  /** Of the new content; null in a plan. */
  readonly print: Print | null;
}

/** What a transaction makes, so that the next one can clean up after a process that was killed. */
export interface WriteRecord {
  readonly moves: readonly RecordedMove[];
  /** Made for new files, outer ones first; relative. */
  readonly folders: readonly string[];
}

/**
 * `plan`: nothing is in its place yet. `moving`: files are being put there. `done`: all are; only temporary files may be left.
 * Each of them is whole or not there.
 */
export type Phase = 'plan' | 'moving' | 'done';

const fileOf = (folder: string, phase: Phase): string => path.join(folder, `${phase}.json`);

export async function saveRecord(folder: string, phase: Phase, record: WriteRecord): Promise<void> {
  const temporary = path.join(folder, `${randomUUID()}.tmp`);
  const handle = await open(temporary, 'wx');
  try {
    await handle.writeFile(JSON.stringify(record));
    // A plan that a power cut has taken costs no more than temporary files that stay.
    if (phase !== 'plan') await handle.datasync();
  } finally {
    await handle.close();
  }
  await patientRename(temporary, fileOf(folder, phase));
}

/** From here on it is not taken back, nor after a power cut. */
export async function markDone(folder: string): Promise<void> {
  await patientRename(fileOf(folder, 'moving'), fileOf(folder, 'done'));
  await syncFolder(folder);
}

/** `plan` is last: it alone never changes a file of the project. */
export async function forgetRecord(folder: string): Promise<void> {
  for (const phase of ['moving', 'done', 'plan'] as const) await rm(fileOf(folder, phase), { force: true });
}

export const temporaryName = (): string => `.robosmith-${randomUUID()}.tmp`;

const TEMPORARY = /^\.robosmith-[0-9a-f-]{36}\.tmp$/;

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTemporary = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && TEMPORARY.test(value);

function printIn(value: JsonValue | undefined): Print | null {
  if (!isObject(value)) return null;
  const { ino, size, mtime } = value;
  return typeof ino === 'string' && typeof size === 'string' && typeof mtime === 'string' ? { ino, size, mtime } : null;
}

/** Whatever is there: a project may have been given a file of that name. */
function moveIn(value: JsonValue): readonly RecordedMove[] {
  if (!isObject(value)) return [];
  const { path: file, from, kept, print } = value;
  if (typeof file !== 'string' || !isTemporary(from)) return [];
  return [{ path: file, from, kept: isTemporary(kept) ? kept : null, print: printIn(print) }];
}

const isMissing = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';

const damaged = (file: string, cause?: unknown): RoboSmithError =>
  new RoboSmithError(
    'io',
    `a write was cut off, and its record cannot be read: ${file}. Compare the files (git status, git diff) with the old contents beside them (.robosmith-….tmp), then remove the record`,
    { path: file },
    cause,
  );

/** Null where there is none. Without a plan nothing of the project is in danger; without another one nobody knows what is. */
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
