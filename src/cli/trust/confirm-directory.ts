import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmless, styleFor } from '../print/style.ts';
import { confirmTrust } from './ask-trust.ts';
import { isTrusted } from '#engine/authoring.ts';
import { trustHash } from '#engine/authoring.ts';
import { remember } from './remember.ts';

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
export const isKnownDirectory = async (directory: string, place: string, io: CliIo): Promise<boolean> =>
  !isOutside(place, directory) || (await isTrusted(hashOf(place, directory), io.env));

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
