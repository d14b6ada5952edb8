import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { parseJsonObject } from '#protocol/json-object.ts';

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
  await writeFile(temporary, JSON.stringify(record), { flag: 'wx' });
  await rename(temporary, fileOf(folder, phase));
}

/** From here on it is not taken back. */
export const markDone = (folder: string): Promise<void> => rename(fileOf(folder, 'moving'), fileOf(folder, 'done'));

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

/** Null where there is none. */
export async function readRecord(folder: string, phase: Phase): Promise<WriteRecord | null> {
  const text = await readFile(fileOf(folder, phase), 'utf8').catch(() => null);
  const kept = text === null ? null : parseJsonObject(text);
  if (kept === null) return null;
  const { moves, folders } = kept;
  return {
    moves: Array.isArray(moves) ? (moves as readonly JsonValue[]).flatMap(moveIn) : [],
    folders: Array.isArray(folders) ? folders.filter((one): one is string => typeof one === 'string') : [],
  };
}
