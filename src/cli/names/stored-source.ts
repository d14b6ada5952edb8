import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from './shown-path.ts';

/**
 * Returns the manifest's path as a run stores it: relative to the project with `/` if it is inside, so that the project
 * can be moved; otherwise absolute.
 */
export async function storedSource(root: string, file: string): Promise<string> {
  const relative = path.relative(root, path.join(await realpath(path.dirname(file)), path.basename(file)));
  return relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? file : relative.split(path.sep).join('/');
}

/** Returns the folder that paths in diagnostics are relative to: the parent of `.vision/`, or the manifest's folder. */
export function projectOf(file: string): string {
  const folder = path.dirname(file);
  return path.basename(folder) === '.vision' ? path.dirname(folder) : folder;
}

/** Returns the path of a stored manifest for display in the current folder. */
export const shownFrom =
  (root: string, source: string | null, io: CliIo) =>
  (file: string): string =>
    shownPath(path.resolve(source === null ? root : projectOf(path.resolve(root, source)), file), io);
