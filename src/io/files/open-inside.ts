import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { refuse } from './path-rules.ts';
import { safePath } from './safe-path.ts';

// Windows has neither.
const NO_LINK = constants.O_NOFOLLOW ?? 0;
/** A pipe is opened without waiting for its other end, and then refused. */
const NO_WAITING = constants.O_NONBLOCK ?? 0;

const FLAGS = {
  read: constants.O_RDONLY | NO_WAITING | NO_LINK,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINK,
} as const;

/** Which file it is, whatever it is called. */
export interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

export const SWAPPED = 'a link was put in its way while it was used';

/** Apple's older file system gives names back in another composition. */
const samePath = (left: string, right: string): boolean =>
  left === right || (process.platform === 'darwin' && left.normalize('NFC') === right.normalize('NFC'));

/** What a path without links names by now. */
type Found = 'it' | 'another' | 'nothing';

/** Refuses when a path without links has one now; else says whether it still names this file. */
export async function checkPlace(input: string, target: string, { dev, ino }: Identity): Promise<Found> {
  const found = await lstat(target, { bigint: true }).catch(() => null);
  if (found?.isSymbolicLink() === true) return refuse(input, SWAPPED);
  const real = await realpath(target).catch(() => null);
  if (found === null || real === null) return 'nothing';
  if (!samePath(real, target)) return refuse(input, SWAPPED);
  return found.dev === dev && found.ino === ino ? 'it' : 'another';
}

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : null);

async function openOnce(
  input: string,
  target: string,
  how: keyof typeof FLAGS,
  mode?: number,
): Promise<FileHandle | null> {
  const handle = await open(target, FLAGS[how], mode).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ELOOP') return refuse(input, SWAPPED);
    // A socket.
    if (codeOf(thrown) === 'ENXIO') return refuse(input, 'it is no ordinary file');
    throw thrown;
  });
  try {
    const found = await handle.stat({ bigint: true });
    if (!found.isFile()) refuse(input, found.isDirectory() ? 'it is a folder' : 'it is no ordinary file');
    if ((await checkPlace(input, target, found)) === 'it') return handle;
    if (how === 'create') refuse(input, SWAPPED);
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
  await handle.close();
  return null;
}

/** A file that others replace as often between opening and looking is not read by chance. */
const MOST_TRIES = 1_000;

/**
 * Opens, then verifies. `target` is what `safePath` gave for `input`, or a new name beside it. A file that was replaced meanwhile
 * (editors save so, and writers of other runs) is opened again. `mode` is that of a new one.
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
  return refuse(input, 'it is replaced all the time');
}

/** In bytes. */
const LARGEST_TEXT = 64 * 1024 * 1024;

/** The text of a file below a root. */
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
