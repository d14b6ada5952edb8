import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { EMAIL, NAME } from '../plumbing/quiet-git.ts';

const compress = promisify(deflate);

/** A folder outside of a repository that takes all objects and index files that git writes while it is compared. */
export interface TemporaryObjects {
  readonly folder: string;
  /** Variables by which git reads the objects of the repository, and writes new ones to this folder. */
  readonly variables: Readonly<Record<string, string>>;
  /** Variables by which a program reads the new objects as well, without writing any. */
  readonly readers: Readonly<Record<string, string>>;
  /** Writes a blob and returns its hash. */
  blob(content: string): Promise<string>;
  /** Writes a commit without a ref and returns its hash. */
  commit(tree: string, parents: readonly string[]): Promise<string>;
}

/** Quotes a folder for a list of folders in one of git's variables, in which `:` separates and `"` begins a quote. */
const quoted = (folder: string): string =>
  `"${folder
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)}"`;

/** All objects are written at one moment, so that the same work gets the same commit. */
const WHO = `${NAME} <${EMAIL}> 0 +0000`;

/** Creates a temporary folder for one comparison. */
export const temporaryFolder = async (): Promise<string> =>
  realpath(await mkdtemp(path.join(os.tmpdir(), 'robosmith-clash-')));

/** Prepares the folder. `objects`: the object folder of the repository. */
export async function temporaryObjects(
  folder: string,
  objects: string,
  algorithm: 'sha1' | 'sha256',
): Promise<TemporaryObjects> {
  const own = path.join(folder, 'objects');
  await mkdir(path.join(own, 'info'), { recursive: true });
  await mkdir(path.join(own, 'pack'));
  const write = async (type: 'blob' | 'commit', content: Uint8Array): Promise<string> => {
    const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    const id = createHash(algorithm).update(bytes).digest('hex');
    await mkdir(path.join(own, id.slice(0, 2)), { recursive: true });
    await writeFile(path.join(own, id.slice(0, 2), id.slice(2)), await compress(bytes));
    return id;
  };
  return {
    folder,
    variables: { GIT_OBJECT_DIRECTORY: own, GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(objects) },
    readers: { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(own) },
    blob: (content) => write('blob', Buffer.from(content)),
    commit: (tree, parents) => {
      const lines = [`tree ${tree}`, ...parents.map((one) => `parent ${one}`), `author ${WHO}`, `committer ${WHO}`];
      return write('commit', Buffer.from(`${lines.join('\n')}\n\nwork under way\n`));
    },
  };
}
