import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmless, styleFor } from '../print/style.ts';
import { confirmTrust } from './ask-trust.ts';
import { areTrusted, type Executable, isTrusted, trustHash } from '#engine/authoring.ts';
import { isDecidedHere, remember } from './remember.ts';

/*
 * Returns whether the directory is outside of the project. A stored run contains the path of its directory, so a
 * hostile project could contain a run that works in another folder. A directory outside of the project must therefore
 * be given or confirmed by a person.
 */

const isOutside = (root: string, directory: string): boolean => {
  const relative = path.relative(root, directory);
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
};

const hashOf = (place: string, directory: string): string =>
  trustHash(place, [{ what: 'directory', command: directory }]);

/** Remembers that the user has confirmed a directory outside of the project. `directory` is a real path. */
export async function rememberDirectory(root: string, directory: string, io: CliIo): Promise<void> {
  const place = await realpath(root);
  if (isOutside(place, directory)) await remember(hashOf(place, directory), place, io);
}

/** Returns whether the directory is inside the project or was confirmed before. `place`: the project's real path. */
async function isKnownDirectory(directory: string, place: string, io: CliIo): Promise<boolean> {
  if (!isOutside(place, directory)) return true;
  const hash = hashOf(place, directory);
  return isDecidedHere(hash, io) || isTrusted(hash, io.env);
}

export async function confirmDirectory(directory: string, root: string, given: boolean, io: CliIo): Promise<boolean> {
  const place = await realpath(root);
  if (await isKnownDirectory(directory, place, io)) return true;
  if (!given) {
    const { paint } = styleFor(io.stderr, io);
    io.stderr.write(
      `${paint.bold('This run wants to work outside of the project, in')}\n  ${paint.cyan(harmless(directory))}\n\n`,
    );
    if (!io.interactive || !(await confirmTrust('Allow it? You are asked only once.'))) return false;
  }
  await remember(hashOf(place, directory), place, io);
  return true;
}

/**
 * Returns whether the user has already approved this list, and runs in this directory. Asks nobody. `place`: the
 * project's real path.
 */
export async function isTrustedHere(
  list: readonly Executable[],
  directory: string,
  place: string,
  io: CliIo,
): Promise<boolean> {
  const isApproved = isDecidedHere(trustHash(place, list), io) || (await areTrusted(list, place, io.env));
  return isApproved && isKnownDirectory(directory, place, io);
}
