import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { foldName } from './fold-name.ts';
import { refuse } from './path-rules.ts';

/** Whoever writes git's own files decides what runs next. The second is what Windows calls the first for short. */
const OF_GIT: ReadonlySet<string> = new Set(['.git', 'git~1'].map(foldName));

/** What is in a folder that is there; null when it is none, or may not be looked at. */
const namesIn = (folder: string): Promise<readonly string[] | null> => readdir(folder).catch(() => null);

/**
 * What SafePath has to say about a write, beside what it says about every path. `file`: where `input` leads, without links.
 * A new name must not be one that is there already, as far as case and composition go: on another file system the two are one.
 */
export async function checkMayBeWritten(root: string, input: string, file: string): Promise<void> {
  const realRoot = await realpath(root);
  const parts = path.relative(realRoot, file).split(path.sep);
  const asked = input.split('/');
  if ([...asked, ...parts].some((part) => OF_GIT.has(foldName(part)))) refuse(input, 'it belongs to git');
  let folder = realRoot;
  for (const part of parts) {
    const names = await namesIn(folder);
    if (names === null) return;
    if (!names.includes(part)) {
      const twin = names.find((name) => foldName(name) === foldName(part));
      if (twin === undefined) return;
      refuse(input, `"${twin}" is there, and differs from "${part}" only in case or in the form of its characters`);
    }
    folder = path.join(folder, part);
  }
}
