import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, open, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RoboSmithError } from '#protocol/error.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { type ProcessIdentity, readIdentity } from '#protocol/process-identity.ts';
import { systemCodeOf } from '#protocol/system-error.ts';
import { isHeld, renameWithRetries } from './retry-rename.ts';
import { liveness } from '../process/process-identity.ts';

/*
 * Allows one transaction at a time below a root, among all processes:
 *
 * 1. The lock is a file that is created atomically and exclusively (as a hard link; where there are none, it is empty
 * for a moment). Its owner removes it.
 * 2. The lock of a dead process may be replaced only by a process that holds a second lock, named `lock.<id of the dead
 * lock>`, and has then checked that the dead lock is still there. Thus nobody removes a lock that another process has
 * taken over.
 */

/** The name of the folder that exists below a root while something is written there. */
export const WRITING_FOLDER = '.robosmith-writing';
const LOCK = 'lock';

export const writingFolder = (root: string): string => path.join(root, WRITING_FOLDER);

const TIMEOUT_MS = 30_000;
const POLL_MS = 3;
/**
 * How often a lock file that is still empty is polled, about one second in total, before the lock counts as abandoned.
 */
const MOST_POLLS = 300;

interface Owner extends ProcessIdentity {
  readonly id: string;
}

const ID = /^[0-9a-f-]{36}$/;

const unless = (code: string) => (thrown: unknown) => {
  if (systemCodeOf(thrown) === code) return null;
  throw thrown;
};

const trouble = (file: string, what: string): RoboSmithError =>
  new RoboSmithError('io', `${what}. If no process is writing now, remove ${file}`, { path: file });

/**
 * Reads a lock file. An empty file is read again for up to a second, since its creator is about to write it, unless the
 * creator was killed. Returns null if there is no lock.
 */
async function textOf(file: string): Promise<string | null> {
  for (let tries = 0; tries < MOST_POLLS; tries += 1) {
    const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
      if (isHeld(thrown)) return '';
      return unless('ENOENT')(thrown);
    });
    if (text !== '') return text;
    await sleep(POLL_MS);
  }
  return '';
}

/** Returns the owner of a lock, or null if there is no lock. Throws `io` if the lock is damaged. */
async function ownerOf(file: string): Promise<Owner | null> {
  const text = await textOf(file);
  if (text === null) return null;
  const kept = parseJsonObject(text);
  const who = kept === null ? null : readIdentity(kept);
  const id = kept?.['id'];
  if (who === null || typeof id !== 'string' || !ID.test(id)) throw trouble(file, 'the write lock is damaged');
  return { ...who, id };
}

/** The error codes of file systems without hard links (FAT, exFAT, some network shares). */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR']);

/** Creates a lock with the content of the file `mine`; returns false if the lock exists. */
async function isMade(mine: string, file: string): Promise<boolean> {
  try {
    await link(mine, file);
    return true;
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'EEXIST') return false;
    if (!NO_LINKS.has(systemCodeOf(thrown))) throw thrown;
  }
  return fill(file, await readFile(mine));
}

async function fill(file: string, content: Uint8Array): Promise<boolean> {
  const handle = await open(file, 'wx').catch(unless('EEXIST'));
  if (handle === null) return false;
  try {
    await handle.writeFile(content);
    return true;
  } catch (thrown) {
    await rm(file, { force: true });
    throw thrown;
  } finally {
    await handle.close();
  }
}

/**
 * Replaces the lock of a dead process with `mine`. Returns `gone` if the lock no longer exists, or the process that is
 * already replacing it.
 */
async function replaceDead(file: string, dead: Owner, mine: string): Promise<'replaced' | 'gone' | Owner> {
  const turn = `${path.join(path.dirname(file), LOCK)}.${dead.id}`;
  const busy = await take(turn);
  if (busy !== null) return busy;
  try {
    if ((await ownerOf(file))?.id !== dead.id) return 'gone';
    await renameWithRetries(mine, file);
    return 'replaced';
  } finally {
    await rm(turn, { force: true });
  }
}

/** Takes a lock; returns null on success, else the lock's owner. */
async function take(file: string): Promise<Owner | null> {
  const mine = path.join(path.dirname(file), `${randomUUID()}.tmp`);
  await writeFile(mine, JSON.stringify({ id: randomUUID(), ...liveness.self }), { flag: 'wx' });
  try {
    for (;;) {
      if (await isMade(mine, file)) return null;
      const found = await ownerOf(file);
      if (found === null) continue;
      if (liveness.isAlive(found) !== 'dead') return found;
      const replaced = await replaceDead(file, found, mine);
      if (replaced === 'replaced') return null;
      if (replaced !== 'gone') return replaced;
    }
  } finally {
    await rm(mine, { force: true });
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch(unless('EEXIST'));
  const found = await lstat(folder).catch(unless('ENOENT'));
  if (found?.isDirectory() === false) throw trouble(folder, `${folder} blocks writing, because it is not a folder`);
}

/** Takes the lock, or returns its live owner. If the lock is held, nothing is written. */
async function tryToTake(folder: string): Promise<Owner | null> {
  const lock = path.join(folder, LOCK);
  for (;;) {
    await makeFolder(folder);
    const found = await ownerOf(lock);
    if (found !== null && liveness.isAlive(found) !== 'dead') return found;
    try {
      return await take(lock);
    } catch (thrown) {
      // Another process has finished and removed the folder.
      unless('ENOENT')(thrown);
    }
  }
}

/**
 * Takes the lock, or returns its owner. On Windows a file that another process removes does not disappear at once, so
 * this retries.
 */
async function tryWithRetries(folder: string): Promise<Owner | null> {
  for (let polls = 0; polls < MOST_POLLS; polls += 1) {
    try {
      return await tryToTake(folder);
    } catch (thrown) {
      if (!isHeld(thrown)) throw thrown;
    }
    await sleep(POLL_MS);
  }
  return tryToTake(folder);
}

async function acquire(folder: string): Promise<void> {
  const last = performance.now() + TIMEOUT_MS;
  for (;;) {
    const owner = await tryWithRetries(folder);
    if (owner === null) return;
    if (performance.now() > last)
      throw trouble(folder, `process ${owner.pid} on ${owner.host} has been writing for ${TIMEOUT_MS / 1_000} s`);
    await sleep(POLL_MS);
  }
}

async function release(folder: string): Promise<void> {
  await rm(path.join(folder, LOCK), { force: true, maxRetries: 10, retryDelay: 20 });
  // Removing the folder fails while another process uses it to wait for the lock.
  await rmdir(folder).catch(() => undefined);
}

/** The last transaction of this process below each root; the next one waits for it. */
const queues = new Map<string, Promise<unknown>>();

async function alone<Value>(root: string, work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = writingFolder(root);
  await acquire(folder);
  try {
    return await work(folder);
  } finally {
    await release(folder);
  }
}

/**
 * Runs `work` while no other transaction of RoboSmith, in this process or another, writes below the root. `root` is
 * absolute and has no links.
 */
export async function withWriteLock<Value>(root: string, work: (folder: string) => Promise<Value>): Promise<Value> {
  const before = queues.get(root) ?? Promise.resolve();
  const turn = before.then(() => alone(root, work));
  const settled = turn.catch(() => undefined);
  queues.set(root, settled);
  try {
    return await turn;
  } finally {
    if (queues.get(root) === settled) queues.delete(root);
  }
}
