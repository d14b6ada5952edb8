import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { findManifest } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { ioError, systemCode, usageError } from '../terminal/usage-error.ts';

/**
 * Returns the absolute path of the file that `--manifest` names, or of the nearest manifest above the given folders.
 */
export async function manifestFile(option: string | undefined, folders: readonly string[], io: CliIo): Promise<string> {
  if (option !== undefined) return readable(path.resolve(io.cwd, option), io);
  for (const folder of folders) {
    const found = await findManifest(folder);
    if (found !== null) return found;
  }
  throw usageError('There is no .vision/workflows.json here or in any folder above.', ['robosmith init']);
}

async function readable(file: string, io: CliIo): Promise<string> {
  const shown = shownPath(file, io);
  try {
    if ((await stat(file)).isFile()) return file;
  } catch (error) {
    throw ioError(`${shown} cannot be read (${systemCode(error)}).${await another(file, io)}`, [], error);
  }
  throw usageError(`${shown} is not a file.${await another(file, io)}`, []);
}

/** Suggests a file in the same folder with a similar name; '' if there is none. */
export async function nearbyFile(file: string): Promise<string> {
  const beside = await readdir(path.dirname(file), { withFileTypes: true }).catch(() => []);
  const others = beside.filter((entry) => !entry.isDirectory() && entry.name !== path.basename(file));
  return didYouMean(
    path.basename(file),
    others.map(({ name }) => name),
  );
}

/** Suggests a similar file in the same folder, or the project's manifest. */
async function another(file: string, io: CliIo): Promise<string> {
  const near = await nearbyFile(file);
  const found = near === '' ? await findManifest(io.cwd) : null;
  return found === null || found === file ? near : ` The manifest of this project is ${shownPath(found, io)}.`;
}
