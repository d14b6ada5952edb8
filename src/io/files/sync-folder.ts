import { open } from 'node:fs/promises';

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : null);

/** Of file systems that sync no folder. */
const UNKNOWN: ReadonlySet<unknown> = new Set([
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EISDIR',
  'EPERM',
  'EACCES',
]);

/** The names in a folder are safe from a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folder.
  if (process.platform === 'win32') return;
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (thrown) {
    if (!UNKNOWN.has(codeOf(thrown))) throw thrown;
  }
}

export const syncFolders = (folders: readonly string[]): Promise<unknown> =>
  Promise.all([...new Set(folders)].map(syncFolder));
