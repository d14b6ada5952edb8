import { statfs } from 'node:fs/promises';
import type { Git } from '../plumbing/git.ts';

/** Has a folder's disk room for all files of a commit? Git says of a full disk only that it was unable to write. */
export async function fitsOnDisk(git: Git, repository: string, commit: string, folder: string): Promise<boolean> {
  const disk = await statfs(folder, { bigint: true }).catch(() => null);
  const listed = await git(repository, ['ls-tree', '-r', '--format=%(objectsize)', '-z', commit]);
  const size = listed.out.split('\0').reduce((sum, text) => sum + (/^\d+$/.test(text) ? Number(text) : 0), 0);
  return disk === null || !listed.ok || size < Number(disk.bavail * disk.bsize);
}
