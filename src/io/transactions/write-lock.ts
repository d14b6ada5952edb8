import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, open, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RoboSmithError } from '#protocol/error.ts';
import { parseJsonObject } from '#protocol/json-object.ts';
import { type ProcessIdentity, readIdentity } from '#protocol/process-identity.ts';
import { isHeld, patientRename } from './retry-rename.ts';
import { liveness } from '../process/process-identity.ts';

/*
 * One transaction at a time below a root, of all processes:
 *
 * 1. The lock is a file that is made whole and exclusively (a hard link; where there are none, it is empty for an instant). Its owner
 *    removes it.
 * 2. The lock of a dead process is replaced only by who holds the lock that is called after it (`lock.<its id>`), and has seen
 *    since that it is still there. So nobody takes away what another one has taken over.
 */

/** Below a root while something is written there; gone before and after. */
const FOLDER = '.robosmith-writing';
const LOCK = 'lock';

export const writingFolder = (root: string): string => path.join(root, FOLDER);

const PATIENCE_MS = 30_000;
const POLL_MS = 3;
/** Of an empty lock: about a second. */
const MOST_POLLS = 300;

interface Owner extends ProcessIdentity {
  readonly id: string;
}

const ID = /^[0-9a-f-]{36}$/;

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : null);

const unless = (code: string) => (thrown: unknown) => {
  if (codeOf(thrown) === code) return null;
  throw thrown;
};

const trouble = (file: string, what: string): RoboSmithError =>
  new RoboSmithError('io', `${what}. If nothing is written at the moment, remove ${file}`, { path: file });

/** An empty one is about to be filled, unless its maker was killed just then. */
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

/** Null: nobody's. */
async function ownerOf(file: string): Promise<Owner | null> {
  const text = await textOf(file);
  if (text === null) return null;
  const kept = parseJsonObject(text);
  const who = kept === null ? null : readIdentity(kept);
  const id = kept?.['id'];
  if (who === null || typeof id !== 'string' || !ID.test(id)) throw trouble(file, 'the lock for writing is damaged');
  return { ...who, id };
}

/** Of file systems without hard links (FAT, exFAT, some shares). */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR']);

/** Makes the lock with the content of `mine`; false: there is one. */
async function isMade(mine: string, file: string): Promise<boolean> {
  try {
    await link(mine, file);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    if (!NO_LINKS.has(codeOf(thrown))) throw thrown;
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

/** Puts `mine` in the place of a dead process's lock; gives who is doing just that, if somebody is. */
async function replaceDead(file: string, dead: Owner, mine: string): Promise<'replaced' | 'gone' | Owner> {
  const turn = `${path.join(path.dirname(file), LOCK)}.${dead.id}`;
  const busy = await take(turn);
  if (busy !== null) return busy;
  try {
    if ((await ownerOf(file))?.id !== dead.id) return 'gone';
    await patientRename(mine, file);
    return 'replaced';
  } finally {
    await rm(turn, { force: true });
  }
}

/** Null: it is ours. Else who has it. */
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
  if (found?.isDirectory() === false) throw trouble(folder, `${folder} is in the way of writing`);
}

/** A try in vain costs others nothing: it only looks. */
async function tryToTake(folder: string): Promise<Owner | null> {
  const lock = path.join(folder, LOCK);
  for (;;) {
    await makeFolder(folder);
    const found = await ownerOf(lock);
    if (found !== null && liveness.isAlive(found) !== 'dead') return found;
    try {
      return await take(lock);
    } catch (thrown) {
      // Another process has finished, and removed the folder.
      unless('ENOENT')(thrown);
    }
  }
}

/** On Windows what another process removes is not gone at once. */
async function tryPatiently(folder: string): Promise<Owner | null> {
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
  const last = performance.now() + PATIENCE_MS;
  for (;;) {
    const owner = await tryPatiently(folder);
    if (owner === null) return;
    if (performance.now() > last)
      throw trouble(folder, `process ${owner.pid} on ${owner.host} has been writing for ${PATIENCE_MS / 1_000} s`);
    await sleep(POLL_MS);
  }
}

async function release(folder: string): Promise<void> {
  await rm(path.join(folder, LOCK), { force: true, maxRetries: 10, retryDelay: 20 });
  // Not while another process waits.
  await rmdir(folder).catch(() => undefined);
}

/** What is under way in this process, by root. */
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

/** Nothing else is written below this root meanwhile, neither by this process nor by another one of RoboSmith's. `root`: absolute, without links. */
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
