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

/** Refuses when a path without links has one now, or names another file than this one. */
export async function checkPlace(input: string, target: string, { dev, ino }: Identity): Promise<void> {
  const [real, found] = await Promise.all([realpath(target), lstat(target, { bigint: true })]).catch(() =>
    refuse(input, SWAPPED),
  );
  if (!samePath(real, target) || found.dev !== dev || found.ino !== ino) refuse(input, SWAPPED);
}

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : null);

/** Opens, then verifies. `target` is what `safePath` gave for `input`, or a new name beside it. */
export async function openInside(input: string, target: string, how: keyof typeof FLAGS): Promise<FileHandle> {
  const handle = await open(target, FLAGS[how]).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ELOOP') return refuse(input, SWAPPED);
    // A socket.
    if (codeOf(thrown) === 'ENXIO') return refuse(input, 'it is no ordinary file');
    throw thrown;
  });
  try {
    const found = await handle.stat({ bigint: true });
    if (!found.isFile()) refuse(input, found.isDirectory() ? 'it is a folder' : 'it is no ordinary file');
    await checkPlace(input, target, found);
    return handle;
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** The text of a file below a root. */
export async function readInside(root: string, input: string): Promise<string> {
  const handle = await openInside(input, await safePath(root, input), 'read');
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
