import { homedir } from 'node:os';
import path from 'node:path';
import { homeOf } from '#protocol/user-folders.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Returns the path as a person would type it in the current folder, with forward slashes. */
export function shownPath(file: string, io: CliIo): string {
  const relative = path.relative(io.cwd, file);
  const shown =
    relative === ''
      ? '.'
      : relative.startsWith(`..${path.sep}..${path.sep}..`) || path.isAbsolute(relative)
        ? file
        : relative;
  return shown.split(path.sep).join('/');
}

/** Returns the path of a file of the user, such as a setting, with `~` for the home folder where shells know it. */
export function shownFromHome(file: string, { platform }: CliIo): string {
  const below = path.relative(homeOf(homedir), file);
  const isBelow = below !== '' && !below.startsWith('..') && !path.isAbsolute(below);
  return isBelow && platform !== 'win32' ? `~/${below}` : file;
}
