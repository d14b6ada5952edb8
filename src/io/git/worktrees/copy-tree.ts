import { constants, copyFile, lstat, mkdir, readdir, readlink, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../../files/safe-path.ts';

/** Clones files if the file system supports it, else copies them. Existing files are never overwritten. */
const MODE = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;

/**
 * A copy operation between two roots, both absolute paths with symbolic links resolved. Functions that take it also
 * take a name that is relative to both roots.
 */
interface Copy {
  readonly from: string;
  readonly to: string;
  /** Links that are not copied because they lead out of the root. */
  readonly left: string[];
}

/**
 * Copies a symbolic link so that it leads to the same place within the new root. If an absolute target were kept,
 * writes through the new link would change files of the first root.
 */
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
  // On Windows a junction needs no special privilege, unlike a symbolic link. Its target is absolute.
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

/**
 * Copies a file, or a folder with its content, to the same place below another root. Returns the links that were left
 * out.
 */
export async function copyTree(from: string, to: string, name: string): Promise<readonly string[]> {
  const copy: Copy = { from, to, left: [] };
  const real = await realpath(path.join(from, name));
  await mkdir(path.dirname(path.join(to, name)), { recursive: true });
  // The name itself may be a link to a file inside of the root; then that file is copied.
  if ((await lstat(real)).isFile()) await copyFile(real, path.join(to, name), MODE);
  else await copyOne(copy, name);
  return copy.left;
}
