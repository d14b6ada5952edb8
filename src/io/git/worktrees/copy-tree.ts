import { constants, copyFile, lstat, mkdir, readdir, readlink, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../../files/safe-path.ts';

/** Where the file system can, both have one content until one of them is changed; else it is copied. Nothing is overwritten. */
const MODE = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;

/** From one root to another one, both absolute and without links; `name` is relative to both. */
interface Copy {
  readonly from: string;
  readonly to: string;
  /** Links that are not copied, since they lead out of the root. */
  readonly left: string[];
}

/** A link keeps its meaning in the other root; by an absolute one, what is written there would reach the first root. */
async function copyLink({ from, to, left }: Copy, name: string): Promise<void> {
  const place = path.join(from, name);
  const target = path.resolve(path.dirname(place), await readlink(place));
  const real = await realpath(place).catch(() => target);
  if (!isInside(from, target) || !isInside(from, real)) {
    left.push(name);
    return;
  }
  const isFolder = (await lstat(real).catch(() => null))?.isDirectory() === true;
  const relative = path.relative(path.dirname(place), target);
  // A junction needs no right that users of Windows have not, and is absolute.
  if (isFolder && process.platform === 'win32')
    await symlink(path.join(to, path.relative(from, target)), path.join(to, name), 'junction');
  else await symlink(relative, path.join(to, name), isFolder ? 'dir' : 'file');
}

async function copyOne(copy: Copy, name: string): Promise<void> {
  const place = path.join(copy.from, name);
  const found = await lstat(place);
  if (found.isSymbolicLink()) return copyLink(copy, name);
  if (found.isFile()) return copyFile(place, path.join(copy.to, name), MODE);
  if (!found.isDirectory()) {
    copy.left.push(name);
    return;
  }
  await mkdir(path.join(copy.to, name), { mode: found.mode });
  for (const entry of await readdir(place)) await copyOne(copy, path.join(name, entry));
}

/** A file or a folder with all in it, to the same place below another root. Returns the links that were left out. */
export async function copyTree(from: string, to: string, name: string): Promise<readonly string[]> {
  const copy: Copy = { from, to, left: [] };
  const real = await realpath(path.join(from, name));
  await mkdir(path.dirname(path.join(to, name)), { recursive: true });
  // What the manifest names may itself be a link inside of the root: then its content is meant.
  if ((await lstat(real)).isFile()) await copyFile(real, path.join(to, name), MODE);
  else await copyOne(copy, name);
  return copy.left;
}
