import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { systemCodeOf } from '#protocol/system-error.ts';
import { refuse } from './path-rules.ts';
import { safePath } from './safe-path.ts';

// Windows has neither O_NOFOLLOW nor O_NONBLOCK.
const NO_LINK = constants.O_NOFOLLOW ?? 0;
/** The flag with which opening a pipe does not block; the pipe is rejected after that. */
const NO_WAITING = constants.O_NONBLOCK ?? 0;

const FLAGS = {
  read: constants.O_RDONLY | NO_WAITING | NO_LINK,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINK,
} as const;

/** Device and inode numbers, which identify a file whatever its name. */
export interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

export const SWAPPED = 'a link replaced a part of its path while it was in use';

/** Compares two paths. HFS+, Apple's older file system, returns names in another Unicode composition. */
const samePath = (left: string, right: string): boolean =>
  left === right || (process.platform === 'darwin' && left.normalize('NFC') === right.normalize('NFC'));

/** The result of checking a path: it names the same file as before, another one, or none. */
type PlaceCheck = 'it' | 'another' | 'nothing';

/**
 * Checks whether a path without links still names this file. Rejects with `unsafe_path` if the path leads through a
 * link now.
 */
export async function checkPlace(input: string, target: string, { dev, ino }: Identity): Promise<PlaceCheck> {
  const found = await lstat(target, { bigint: true }).catch(() => null);
  if (found?.isSymbolicLink() === true) return refuse(input, SWAPPED);
  const real = await realpath(target).catch(() => null);
  if (found === null || real === null) return 'nothing';
  if (!samePath(real, target)) return refuse(input, SWAPPED);
  return found.dev === dev && found.ino === ino ? 'it' : 'another';
}

async function openOnce(
  input: string,
  target: string,
  how: keyof typeof FLAGS,
  mode?: number,
): Promise<FileHandle | null> {
  const handle = await open(target, FLAGS[how], mode).catch((thrown: unknown) => {
    if (systemCodeOf(thrown) === 'ELOOP') return refuse(input, SWAPPED);
    // Opening a socket fails with ENXIO.
    if (systemCodeOf(thrown) === 'ENXIO') return refuse(input, 'it is not a regular file');
    throw thrown;
  });
  try {
    const found = await handle.stat({ bigint: true });
    if (!found.isFile()) refuse(input, found.isDirectory() ? 'it is a folder' : 'it is not a regular file');
    if ((await checkPlace(input, target, found)) === 'it') return handle;
    if (how === 'create') refuse(input, SWAPPED);
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
  await handle.close();
  return null;
}

/** The number of attempts after which a file that keeps being replaced while it is opened is rejected. */
const MOST_TRIES = 1_000;

/**
 * Opens a file, then verifies that its path leads through no link that was created meanwhile. `target` is the result of
 * `safePath` for `input`, or a new name beside it. A file that is replaced meanwhile, as editors and other runs do when
 * saving, is opened again. `mode` sets the permissions of a new file.
 */
export async function openInside(
  input: string,
  target: string,
  how: keyof typeof FLAGS,
  mode?: number,
): Promise<FileHandle> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const handle = await openOnce(input, target, how, mode);
    if (handle !== null) return handle;
  }
  return refuse(input, 'another program keeps replacing it');
}

/** The maximum size of a text that is read, in bytes. */
const LARGEST_TEXT = 64 * 1024 * 1024;

/** Reads the text of a file below a root. Rejects with `unsafe_path` if the path or the file is not allowed. */
export async function readInside(root: string, input: string): Promise<string> {
  const handle = await openInside(input, await safePath(root, input), 'read');
  try {
    const { size } = await handle.stat();
    if (size > LARGEST_TEXT) refuse(input, `it has ${size} bytes, more than the limit of ${LARGEST_TEXT}`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
