import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { FileToWrite } from '#protocol/services.ts';
import { foldName } from '../files/fold-name.ts';
import { SWAPPED } from '../files/open-inside.ts';
import { refuse } from '../files/path-rules.ts';
import { safePath } from '../files/safe-path.ts';
import { checkMayBeWritten } from '../files/writable-path.ts';

const toPosix = (file: string): string => file.split(path.sep).join('/');

/** Where a file is to be written. */
export interface Target {
  readonly input: string;
  /** Absolute, without links. */
  readonly file: string;
  readonly wanted: FileToWrite;
  /** Null: there is no such file. */
  readonly mode: number | null;
}

/** The write permissions of owner, group and others. On Windows all of them follow the read-only attribute. */
const ANY_MAY_WRITE = 0o222;

/** `root`: absolute, without links. */
export async function findTarget(root: string, wanted: FileToWrite): Promise<Target> {
  const { path: input } = wanted;
  const file = await safePath(root, input);
  if (wanted.located !== undefined && toPosix(path.relative(root, file)) !== wanted.located) refuse(input, SWAPPED);
  const found = await stat(file).catch(() => null);
  if (found !== null && !found.isFile())
    refuse(input, found.isDirectory() ? 'it is a folder' : 'it is no ordinary file');
  if (found !== null && (found.mode & ANY_MAY_WRITE) === 0)
    refuse(input, 'it is write-protected: whoever protected it must allow writing first');
  await checkMayBeWritten(root, input, file);
  return { input, file, wanted, mode: found === null ? null : found.mode & 0o7777 };
}

/** Two files of one name can't both be written, nor a file and another one below it; nor can two folders become one elsewhere. */
export function checkApart(targets: readonly Target[]): void {
  const files = new Map<string, string>();
  for (const { input, file } of targets) {
    const other = files.get(foldName(file));
    if (other !== undefined) refuse(input, other === input ? 'it is there twice' : `it is the same file as "${other}"`);
    files.set(foldName(file), input);
  }
  const folders = new Map<string, string>();
  for (const { input, file } of targets)
    for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at)) {
      const above = files.get(foldName(at));
      if (above !== undefined) refuse(input, `"${above}" would be its folder`);
      const twin = folders.get(foldName(at)) ?? at;
      if (twin !== at)
        refuse(input, `its folder "${path.basename(at)}" is elsewhere the same as "${path.basename(twin)}"`);
      folders.set(foldName(at), at);
    }
}
