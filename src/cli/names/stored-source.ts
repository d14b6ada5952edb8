import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from './shown-path.ts';

/** How a run's manifest is kept: inside of the project relative to it, with `/`, so that it goes with it; else absolute. */
export async function storedSource(root: string, file: string): Promise<string> {
  const relative = path.relative(root, path.join(await realpath(path.dirname(file)), path.basename(file)));
  return relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? file : relative.split(path.sep).join('/');
}

/** Paths in a manifest's diagnostics and origins are relative to the folder above `.vision/`, or its own. */
export function projectOf(file: string): string {
  const folder = path.dirname(file);
  return path.basename(folder) === '.vision' ? path.dirname(folder) : folder;
}

/** How people in this folder call a file that a stored manifest names. */
export const shownFrom =
  (root: string, source: string | null, io: CliIo) =>
  (file: string): string =>
    shownPath(path.resolve(source === null ? root : projectOf(path.resolve(root, source)), file), io);
