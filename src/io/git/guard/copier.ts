import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { createTurnBudget } from '../../clock/turn-budget.ts';
import { type Entry, type Key, placeOf } from './entries.ts';
import { copyIn, type FolderSnapshot } from './snapshot.ts';

/** Limits in bytes for one copied file and for all copies. Larger files are watched, but can't be restored. */
const LARGEST = 256 * 1024 * 1024;
const MOST = 4 * 1024 * 1024 * 1024;

/**
 * Folders that tools fill with many files. They are copied last, so that the size limit isn't used up before the files
 * that people wrote are copied.
 */
const HEAVY = /(?:^|\/)(?:node_modules|\.venv|venv|target|\.gradle|\.cache)(?:\/|$)/;

/**
 * Files up to this size in bytes are copied in this turn of the event loop. Larger ones are copied by the thread pool,
 * or cloned.
 */
const SMALL = 256 * 1024;

const AT_ONCE = 16;

const COPY_NAME = /^\d{1,9}$/;

/**
 * Removes the folder of a watch with its copies, of which there may be as many as files in the worktree. A link that an
 * agent has put in the place of a folder is not followed.
 */
export async function removeWatchFolder(folder: string): Promise<void> {
  const files = path.join(folder, 'files');
  const isFolder = lstatSync(files, { throwIfNoEntry: false })?.isDirectory() === true;
  const names = isFolder ? readdirSync(files).filter((name) => COPY_NAME.test(name)) : [];
  const turn = createTurnBudget();
  for (const name of names) {
    try {
      unlinkSync(path.join(files, name));
    } catch {
      // An agent has removed it, or a folder is in its place.
    }
    const pause = turn();
    if (pause !== null) await pause;
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Flags for reading a file that was one when it was listed: they never block on a pipe and follow no link. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

function copySmall(from: Buffer, to: string): void {
  const handle = openSync(from, READ);
  try {
    if (!fstatSync(handle).isFile()) throw new Error('it is no longer a file');
    writeFileSync(to, readFileSync(handle), { mode: 0o600, flag: 'wx' });
  } finally {
    closeSync(handle);
  }
}

const EXCLUSIVE = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;

export interface Copier {
  /** Copies the files for which `wants` returns true into the watch's folder. */
  keep(root: string, entries: ReadonlyMap<Key, Entry>, wants: (key: Key) => boolean): Promise<FolderSnapshot>;
}

/** Creates the folder of a watch, and the function that fills it. */
export function createCopier(folder: string): Copier {
  let next = 0;
  let left = MOST;
  mkdirSync(path.join(folder, 'files'), { recursive: true });

  const copyOne = async (root: string, key: Key, { size }: Entry, copies: Map<Key, number>): Promise<void> => {
    if (size > LARGEST || size > left) return;
    left -= size;
    next += 1;
    const copy = next;
    const [from, to] = [placeOf(root, key), copyIn(folder, copy)];
    try {
      if (size <= SMALL) copySmall(from, to);
      else await copyFile(from, to, EXCLUSIVE);
      copies.set(key, copy);
    } catch {
      // A file that this process can't read is not copied, since the agent can't change it either. If it is changed
      // nevertheless, it is reported as not restored.
    }
  };

  return {
    keep: async (root, entries, wants) => {
      const files = [...entries].filter(([key, { kind }]) => kind === 'file' && wants(key));
      const order = [...files.filter(([key]) => !HEAVY.test(key)), ...files.filter(([key]) => HEAVY.test(key))];
      const copies = new Map<Key, number>();
      const turn = createTurnBudget();
      for (let at = 0; at < order.length; at += AT_ONCE) {
        await Promise.all(order.slice(at, at + AT_ONCE).map(([key, entry]) => copyOne(root, key, entry, copies)));
        const pause = turn();
        if (pause !== null) await pause;
      }
      return { root, entries, copies };
    },
  };
}
