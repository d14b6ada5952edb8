import path from 'node:path';
import { createFile, listIfThere, removeIfThere } from '#io/files/durable-file.ts';
import { hashOf, type TaskPlace } from './task-place.ts';

/** The maximum number of backups of one file; the oldest are removed. */
const MOST_BACKUPS = 100;

/** Matches `status.md.000012.0f3a…`: an increasing number, and the beginning of the SHA-256. */
const NAME = /^(\d{6,})\.([0-9a-f]{16})$/;

interface Backup {
  readonly name: string;
  readonly number: number;
  readonly mark: string;
}

const markOf = (hash: string): string => hash.slice(0, 16);

interface Shelf {
  readonly folder: string;
  readonly name: string;
  /** Backups, oldest first. */
  readonly backups: readonly Backup[];
}

async function shelfOf({ calls, locate }: TaskPlace, file: string): Promise<Shelf> {
  const at = await locate(`backups/${file}`);
  const folder = path.dirname(at);
  const name = path.basename(at);
  const backups = listIfThere(calls, folder).flatMap((one): readonly Backup[] => {
    const [, number, mark] = one.startsWith(`${name}.`) ? (NAME.exec(one.slice(name.length + 1)) ?? []) : [];
    return number === undefined || mark === undefined ? [] : [{ name: one, number: Number(number), mark }];
  });
  return { folder, name, backups: backups.sort((one, other) => one.number - other.number) };
}

/**
 * Stores versions of a file, each once. A version that occurs again becomes the newest, so that it is not removed with
 * the oldest.
 */
export async function keepBackups(place: TaskPlace, file: string, contents: readonly Uint8Array[]): Promise<void> {
  const { calls, newId } = place;
  for (const bytes of contents) {
    const { folder, name, backups } = await shelfOf(place, file);
    const mark = markOf(hashOf(bytes));
    if (backups.at(-1)?.mark === mark) continue;
    const others = backups.filter((one) => one.mark !== mark);
    calls.makeFolder(folder);
    const number = (backups.at(-1)?.number ?? 0) + 1;
    createFile(calls, path.join(folder, `${name}.${String(number).padStart(6, '0')}.${mark}`), bytes, newId());
    const tooMany = others.slice(0, Math.max(0, others.length + 1 - MOST_BACKUPS));
    for (const old of [...backups.filter((one) => one.mark === mark), ...tooMany])
      removeIfThere(calls, path.join(folder, old.name));
  }
}

/** Returns the content with this hash, or null if there is no backup. */
export async function findBackup(place: TaskPlace, file: string, hash: string): Promise<Uint8Array | null> {
  const { folder, backups } = await shelfOf(place, file);
  for (const { name, mark } of backups.toReversed()) {
    if (mark !== markOf(hash)) continue;
    const bytes = place.calls.read(path.join(folder, name));
    if (hashOf(bytes) === hash) return bytes;
  }
  return null;
}
