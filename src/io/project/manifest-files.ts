import path from 'node:path';
import type { ManifestSource } from '#protocol/compiled.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';
import { readSmallFile } from '../files/read-small-file.ts';
import { safePath } from '../files/safe-path.ts';
import { unmatchedPatterns } from '../files/unmatched-patterns.ts';

/** In bytes; the compiler takes less. */
const LARGEST = 64 * 1024 * 1024;

const toPosix = (file: string): string => file.split(path.sep).join('/');

/** What reading a file of a manifest gave; `why` follows a colon. */
export type ReadSource =
  | { readonly source: ManifestSource }
  | { readonly missing: true }
  | { readonly why: string; /** The file is a link to somewhere else. */ readonly leadsOut?: true };

async function readBelow(project: string, name: string): Promise<ReadSource> {
  try {
    const read = await readSmallFile(await safePath(project, name), LARGEST);
    return 'text' in read ? { source: { path: name, text: read.text } } : read;
  } catch (thrown) {
    if (!RoboSmithError.is(thrown, 'unsafe_path')) return { why: messageOf(thrown) };
    const { why } = thrown.data;
    const leadsOut = typeof why === 'string' && why.startsWith('a link') ? ({ leadsOut: true } as const) : {};
    return { why: typeof why === 'string' ? why : thrown.message, ...leadsOut };
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
  const read = (name: string): Promise<ReadSource> => readBelow(project, name);
  return {
    project,
    entry,
    read,
    /** A file named by another one, relative to it. */
    readBeside: (beside: string, name: string) =>
      path.posix.isAbsolute(name)
        ? Promise.resolve<ReadSource>({ why: 'it is absolute' })
        : read(path.posix.normalize(path.posix.join(path.posix.dirname(beside), name))),
    /** Which of these paths and globs match no file of the project. */
    unmatched: (patterns: Iterable<string>) => unmatchedPatterns(project, patterns),
  };
}
