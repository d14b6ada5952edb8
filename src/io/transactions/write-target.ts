import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { FileToWrite } from '#protocol/services.ts';
import { foldName } from '../files/ignores-case.ts';
import { SWAPPED } from '../files/open-inside.ts';
import { refuse } from '../files/path-rules.ts';
import { safePath } from '../files/safe-path.ts';
import { checkMayBeWritten } from '../files/writable-path.ts';

const toPosix = (file: string): string => file.split(path.sep).join('/');

/** The resolved place of a file to write. */
export interface Target {
  readonly input: string;
  /** The absolute path, without links. */
  readonly file: string;
  readonly wanted: FileToWrite;
  /** The permission bits of the existing file, or null if there is none. */
  readonly mode: number | null;
}

/** The write permissions of owner, group and others. On Windows all of them mirror the read-only attribute. */
const ANY_MAY_WRITE = 0o222;

/**
 * Resolves the target of a write and checks that it may be written. `root` is absolute and has no links. Throws
 * `unsafe_path`.
 */
export async function findTarget(root: string, wanted: FileToWrite): Promise<Target> {
  const { path: input } = wanted;
  const file = await safePath(root, input);
  if (wanted.located !== undefined && toPosix(path.relative(root, file)) !== wanted.located) refuse(input, SWAPPED);
  const found = await stat(file).catch(() => null);
  if (found !== null && !found.isFile())
    refuse(input, found.isDirectory() ? 'it is a folder' : 'it is not a regular file');
  if (found !== null && (found.mode & ANY_MAY_WRITE) === 0)
    refuse(input, 'it is write-protected; remove the protection first');
  await checkMayBeWritten(root, input, file);
  return { input, file, wanted, mode: found === null ? null : found.mode & 0o7777 };
}

/**
 * Throws `unsafe_path` if targets collide: two with the same name, one whose path continues below another target's
 * file, or two with folder names that would be equal on another file system.
 */
export function checkApart(targets: readonly Target[]): void {
  const files = new Map<string, string>();
  for (const { input, file } of targets) {
    const other = files.get(foldName(file));
    if (other !== undefined)
      refuse(input, other === input ? 'it is listed twice' : `it is the same file as "${other}"`);
    files.set(foldName(file), input);
  }
  const folders = new Map<string, string>();
  for (const { input, file } of targets)
    for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at)) {
      const above = files.get(foldName(at));
      if (above !== undefined) refuse(input, `"${above}" in the same list is a file, but would have to be its folder`);
      const twin = folders.get(foldName(at)) ?? at;
      if (twin !== at)
        refuse(
          input,
          `on other file systems its folder "${path.basename(at)}" is the same as "${path.basename(twin)}"`,
        );
      folders.set(foldName(at), at);
    }
}
