import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import type { ManifestSource } from '#protocol/compiled.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';
import { readSmallFile } from '../files/read-small-file.ts';
import { safePath } from '../files/safe-path.ts';
import { unmatchedPatterns } from '../files/unmatched-patterns.ts';
import { replaceFile } from '../files/durable-file.ts';
import { fileCalls } from '../files/file-calls.ts';

/** The maximum size of a manifest file in bytes; the compiler's own limit is lower. */
const LARGEST = 64 * 1024 * 1024;

const toPosix = (file: string): string => file.split(path.sep).join('/');

/** The result of reading a manifest file. `why` is the text that follows a colon in a message. */
export type ReadSource =
  | { readonly source: ManifestSource }
  | { readonly missing: true }
  | { readonly why: string; /** The file is a link to somewhere else. */ readonly leadsOut?: true };

async function readBelow(project: string, name: string): Promise<ReadSource> {
  try {
    const read = await readSmallFile(await safePath(project, name), LARGEST);
    return 'text' in read ? { source: { path: name, text: read.text } } : read;
  } catch (thrown) {
    const isFolderMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    if (isFolderMissing) return { missing: true };
    if (!RoboSmithError.is(thrown, 'unsafe_path')) return { why: messageOf(thrown) };
    const { why } = thrown.data;
    const leadsOut = typeof why === 'string' && why.startsWith('a link') ? ({ leadsOut: true } as const) : {};
    return { why: typeof why === 'string' ? why : thrown.message, ...leadsOut };
  }
}

/** Returns the folder whose files a manifest may name: the parent of `.vision/`, or else the manifest's folder. */
const projectOf = (file: string): string => {
  const folder = path.dirname(path.resolve(file));
  return path.basename(folder) === '.vision' ? path.dirname(folder) : folder;
};

/**
 * Gives access to a manifest's files by their path in the project. Nothing outside of the project is read, and links
 * out of it are not followed.
 */
export function manifestFiles(file: string) {
  const project = projectOf(file);
  const entry = toPosix(path.relative(project, path.resolve(file)));
  const read = (name: string): Promise<ReadSource> => readBelow(project, name);
  return {
    project,
    entry,
    read,
    /** Reads a file by a name relative to another file. */
    readBeside: (beside: string, name: string) =>
      path.posix.isAbsolute(name)
        ? Promise.resolve<ReadSource>({ why: 'it is an absolute path' })
        : read(path.posix.normalize(path.posix.join(path.posix.dirname(beside), name))),
    /** Returns the paths and globs that match no file of the project. */
    unmatched: (patterns: Iterable<string>) => unmatchedPatterns(project, patterns),
  };
}

/** Replaces a manifest file atomically. A link stays, and its target is replaced; permissions stay as they are. */
export async function writeManifest(file: string, text: string): Promise<void> {
  const real = await realpath(file);
  const { mode } = await stat(real);
  const unique = randomBytes(6).toString('hex');
  replaceFile(fileCalls, real, Buffer.from(text), unique, undefined, mode & 0o777);
}
