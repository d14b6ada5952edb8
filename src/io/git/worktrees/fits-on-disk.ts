import { statfs } from 'node:fs/promises';
import type { Git } from '../plumbing/git.ts';

/**
 * Returns whether the disk of a folder has room for all files of a commit; true if that can't be determined. The check
 * is made in advance because git's own error for a full disk only says that a write failed.
 */
export async function fitsOnDisk(git: Git, repository: string, commit: string, folder: string): Promise<boolean> {
  const disk = await statfs(folder, { bigint: true }).catch(() => null);
  const listed = await git(repository, ['ls-tree', '-r', '--format=%(objectsize)', '-z', commit]);
  const size = listed.out.split('\0').reduce((sum, text) => sum + (/^\d+$/.test(text) ? Number(text) : 0), 0);
  return disk === null || !listed.ok || size < Number(disk.bavail * disk.bsize);
}
