import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createIgnoreRules, type IgnoreRules, isNeverIndexed } from './ignore-rules.ts';
import { runGit } from './run-git.ts';

/** Maximum number of indexed files; it limits the index of a folder that is not a project, such as a home folder. */
const MAX_FILES = 400_000;

const hasSkippedFolder = (path: string): boolean => path.split('/').some(isNeverIndexed);

async function listByGit(root: string): Promise<readonly string[] | null> {
  const output = await runGit(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']);
  if (output === null) return null;
  return output.split('\0').filter((path) => path !== '' && !path.endsWith('/') && !hasSkippedFolder(path));
}

const readFolder = (path: string): readonly Dirent[] => {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
};

interface Walked {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Lists the files below `start` that are not ignored. Symbolic links and nested repositories are skipped. */
export function walkFolders(root: string, start: string, rules: IgnoreRules = createIgnoreRules(root)): Walked {
  const files: string[] = [];
  const folders = [start];
  for (let next = 0; next < folders.length && files.length < MAX_FILES; next += 1) {
    const folder = folders[next] ?? '';
    for (const entry of readFolder(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isNeverIndexed(entry.name)) continue;
      if (entry.isDirectory()) {
        if (!rules.excludes(path, true) && !existsSync(join(root, path, '.git'))) folders.push(path);
      } else if (entry.isFile() && !rules.excludes(path, false)) files.push(path);
    }
  }
  return { files, folders };
}

/** Lists the files of a worktree: with `git ls-files` if git is available, else by walking the folders. */
export async function listFiles(root: string): Promise<readonly string[]> {
  const files = (await listByGit(root)) ?? walkFolders(root, '').files;
  return files.length > MAX_FILES ? files.slice(0, MAX_FILES) : files;
}
