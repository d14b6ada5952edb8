import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { findManifest } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { didYouMean } from '../names/nearest.ts';
import { ioError, systemCode, usageError } from '../terminal/usage-error.ts';

/** The file that `--manifest` names, else the nearest one above the folders given; absolute. */
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

/** Asks whether a file beside it was meant that is called nearly so; '' when there is none. */
export async function nearbyFile(file: string): Promise<string> {
  const beside = await readdir(path.dirname(file)).catch(() => []);
  const others = beside.filter((name) => name !== path.basename(file));
  return didYouMean(path.basename(file), others);
}

/** A file beside it that is called nearly so, else the manifest of this place. */
async function another(file: string, io: CliIo): Promise<string> {
  const near = await nearbyFile(file);
  const found = near === '' ? await findManifest(io.cwd) : null;
  return found === null || found === file ? near : ` The manifest of this project is ${shownPath(found, io)}.`;
}
