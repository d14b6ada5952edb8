import { open } from 'node:fs/promises';
import { systemCodeOf } from '#protocol/system-error.ts';

/** Error codes of file systems that can't sync a folder. */
const UNKNOWN: ReadonlySet<unknown> = new Set([
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EISDIR',
  'EPERM',
  'EACCES',
]);

/** Syncs a folder, so that the names in it survive a power loss. Does nothing where the system can't sync folders. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows can't open a folder.
  if (process.platform === 'win32') return;
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (thrown) {
    if (!UNKNOWN.has(systemCodeOf(thrown))) throw thrown;
  }
}

export const syncFolders = (folders: readonly string[]): Promise<unknown> =>
  Promise.all([...new Set(folders)].map(syncFolder));
