import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { foldName } from './ignores-case.ts';
import { refuse } from './path-rules.ts';

/**
 * The names of git's own folder. Files in it determine which programs git executes. `git~1` is its short name on
 * Windows.
 */
const OF_GIT: ReadonlySet<string> = new Set(['.git', 'git~1'].map(foldName));

/**
 * Matches the short names that Windows gives to long ones, such as `SECRE~1.TXT`. Such a name that no folder lists is
 * an alias there, so that a write would change another file.
 */
const SHORT_NAME = /^[^.~]{1,6}~[1-9][0-9]{0,5}(?:\.[^.]{0,3})?$/;

/** Returns the names in a folder, or null if it is no folder or can't be read. */
const namesIn = (folder: string): Promise<readonly string[] | null> => readdir(folder).catch(() => null);

/**
 * Rejects paths that must not be written, beyond the checks of `safePath`: git's own files, and new names that differ
 * from an existing one only in case or Unicode composition, because on another file system both would be one file.
 * `file` is the absolute path without links that `input` leads to. Throws `unsafe_path`.
 */
export async function checkMayBeWritten(root: string, input: string, file: string): Promise<void> {
  const realRoot = await realpath(root);
  const parts = path.relative(realRoot, file).split(path.sep);
  const asked = input.split('/');
  if ([...asked, ...parts].some((part) => OF_GIT.has(foldName(part)))) refuse(input, 'git manages it');
  let folder = realRoot;
  for (const part of parts) {
    const names = await namesIn(folder);
    if (names === null) return;
    if (!names.includes(part)) {
      const twin = names.find((name) => foldName(name) === foldName(part));
      if (SHORT_NAME.test(part)) refuse(input, `"${part}" may be the short name of another file on Windows`);
      if (twin === undefined) return;
      refuse(input, `"${twin}" exists, and differs from "${part}" only in case or in Unicode normalization`);
    }
    folder = path.join(folder, part);
  }
}
