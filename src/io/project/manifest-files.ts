import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ManifestSource } from '#protocol/compiled.ts';
import { safePath } from '../files/safe-path.ts';
import { unmatchedPatterns } from '../files/unmatched-patterns.ts';

/** Larger files are refused by the compiler; no need to read them. */
const LARGEST = 64 * 1024 * 1024;

const toPosix = (file: string): string => file.split(path.sep).join('/');

async function readText(file: string): Promise<string | null> {
  try {
    if ((await stat(file)).size > LARGEST) return ' '.repeat(LARGEST);
    return await readFile(file, 'utf8');
  } catch {
    return null;
  }
}

/** The folder whose files a manifest may name: the one above `.vision/`, or the manifest's own. */
const projectOf = (file: string): string => {
  const folder = path.dirname(path.resolve(file));
  return path.basename(folder) === '.vision' ? path.dirname(folder) : folder;
};

/** The files of one manifest, by their path in the project; nothing outside the project is read, links included. */
export function manifestFiles(file: string) {
  const project = projectOf(file);
  const entry = toPosix(path.relative(project, path.resolve(file)));
  const read = async (name: string): Promise<ManifestSource | null> => {
    try {
      const text = await readText(
        name === entry ? await realpath(path.join(project, name)) : await safePath(project, name),
      );
      return text === null ? null : { path: name, text };
    } catch {
      return null;
    }
  };
  return {
    project,
    entry,
    read,
    /** A file named by another one, relative to it. */
    readBeside: (beside: string, name: string) =>
      read(path.posix.normalize(path.posix.join(path.posix.dirname(beside), name))),
    /** Which of these paths and globs match no file of the project. */
    unmatched: (patterns: Iterable<string>) => unmatchedPatterns(project, patterns),
  };
}
