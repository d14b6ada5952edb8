import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Paths of the cached index of one worktree. */
export interface CachePlace {
  /** The cache folder of the repository, shared by all its worktrees. */
  readonly folder: string;
  readonly database: string;
  /** The file with the list of the worktree's files. */
  readonly overlay: string;
}

/** Returns the current user's cache folder, by the convention of the operating system. */
export function userCacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32') return environment['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  const xdg = environment['XDG_CACHE_HOME'];
  return xdg !== undefined && xdg.startsWith('/') ? xdg : join(homedir(), '.cache');
}

/** Returns the git folder of a worktree, or null if its root is not under git. Only reads files; does not start git. */
export function gitFolder(root: string): string | null {
  const dotGit = join(root, '.git');
  if (!existsSync(dotGit)) return null;
  if (statSync(dotGit).isDirectory()) return dotGit;
  const pointer = /^gitdir:\s*(.+?)\s*$/mu.exec(readFileSync(dotGit, 'utf8'))?.[1];
  return pointer === undefined ? null : resolve(root, pointer);
}

/** Returns the git folder that all worktrees of a repository share, or null if the root is not under git. */
export function commonGitFolder(root: string): string | null {
  const folder = gitFolder(root);
  if (folder === null) return null;
  const common = join(folder, 'commondir');
  return existsSync(common) ? resolve(folder, readFileSync(common, 'utf8').trim()) : folder;
}

/** Returns the common git folder of the repository that contains a folder; the folder itself if it is not under git. */
function repositoryOf(root: string): string {
  for (let folder = root; ; folder = dirname(folder)) {
    const common = commonGitFolder(folder);
    if (common !== null) return existsSync(common) ? realpathSync(common) : common;
    if (dirname(folder) === folder) return root;
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 20);

/** Returns the cache paths for the worktree at `root`, which must be a real path. */
export function cachePlace(cache: string, root: string): CachePlace {
  const folder = join(cache, digest(repositoryOf(root)));
  return { folder, database: join(folder, 'base.db'), overlay: join(folder, `worktree-${digest(root)}.bin`) };
}
