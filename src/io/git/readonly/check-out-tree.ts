import { lstat, mkdir, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../../clock/identity.ts';
import { isInside } from '../../files/safe-path.ts';
import { type Refusal, whyFailed } from '../plumbing/refusal.ts';
import type { ReadOnlyRepository } from './open-repository.ts';
import { withVariables } from './read-only-git.ts';

/** The timeout of a checkout in milliseconds, long enough for a big repository. */
const CHECKOUT_MS = 300_000;

/**
 * Writes the files of a tree to a new folder outside of the repository and passes it to `work`. No filter and no hook
 * runs: files of Git LFS are pointers, and submodules are empty folders.
 */
export async function withFilesOf<Value>(
  { git, folder, objects }: ReadOnlyRepository,
  tree: string,
  work: (files: string) => Promise<Value>,
): Promise<Value | Refusal> {
  const files = path.join(objects.folder, `files-${newId(6)}`);
  await mkdir(files);
  const own = withVariables(git, { GIT_INDEX_FILE: path.join(objects.folder, `checkout-${newId(6)}`) });
  try {
    const read = await own(folder, ['read-tree', tree]);
    if (!read.ok) return await whyFailed(read, "can't read the merged files");
    const args = ['checkout-index', '--all', '--quiet', `--prefix=${files}/`];
    const written = await own(folder, args, { timeoutMs: CHECKOUT_MS });
    return written.ok ? await work(files) : await whyFailed(written, "can't write the merged files");
  } finally {
    await rm(files, { recursive: true, force: true, maxRetries: 3 });
  }
}

const isThere = async (file: string): Promise<boolean> => (await lstat(file).catch(() => null)) !== null;

/** Returns where an installed package is to be linked to: a package of the repository itself to its merged files. */
async function targetOf(entry: string, main: string, files: string): Promise<string> {
  const real = await realpath(entry).catch(() => entry);
  const below = path.relative(main, real);
  const isOwn = isInside(main, real) && !below.split(path.sep).includes('node_modules');
  return isOwn && real !== main ? path.join(files, below) : real;
}

/** Links the entries of a folder of installed packages; a scope such as `@types` is a folder with further entries. */
async function linkPackages(from: string, to: string, main: string, files: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    const [entry, link] = [path.join(from, name), path.join(to, name)];
    if (name.startsWith('@')) await linkPackages(entry, link, main, files);
    else if (!(await isThere(link))) await symlink(await targetOf(entry, main, files), link, 'junction');
  }
}

/**
 * Makes folders that the main checkout has and git ignores available below `files`, as links: a folder of packages entry
 * by entry, since packages of the repository itself must be the merged ones.
 */
export async function linkInstalled(main: string, files: string, folders: readonly string[]): Promise<void> {
  for (const name of folders) {
    const [from, to] = [path.join(main, name), path.join(files, name)];
    if ((await stat(from).catch(() => null))?.isDirectory() !== true || (await isThere(to))) continue;
    if (path.basename(name) === 'node_modules') await linkPackages(from, to, main, files);
    else {
      await mkdir(path.dirname(to), { recursive: true });
      await symlink(from, to, 'junction');
    }
  }
}

/** Returns a text that changes when packages are installed in one of the folders. */
export async function installedState(main: string, folders: readonly string[]): Promise<string> {
  const times: string[] = [];
  for (const name of folders)
    for (const file of [name, `${name}/.package-lock.json`, `${name}/.modules.yaml`]) {
      const found = await stat(path.join(main, file)).catch(() => null);
      if (found !== null) times.push(`${file}=${String(found.mtimeMs)}`);
    }
  return times.join(' ');
}

/** Writes a file that lists the source files below a folder, for a compiler that takes such a list. */
export async function writeSourceList(folder: string, ending: string): Promise<string> {
  const all = await readdir(folder, { recursive: true });
  const names = all.filter((name) => name.endsWith(ending)).sort();
  const list = path.join(folder, `robosmith-sources-${newId(6)}`);
  await writeFile(
    list,
    names.map((name) => `"${name.replaceAll('\\', '/').replaceAll('"', String.raw`\"`)}"\n`).join(''),
  );
  return path.basename(list);
}
