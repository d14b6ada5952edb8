import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createIgnoreRules, type IgnoreRules, isNeverIndexed, isNeverIndexedPath } from './ignore-rules.ts';
import { runGit } from './run-git.ts';

/** Maximum number of indexed files; it limits the index of a folder that is not a project, such as a home folder. */
const MAX_FILES = 400_000;

async function listByGit(root: string): Promise<readonly string[] | null> {
  const output = await runGit(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']);
  if (output === null) return null;
  return output.split('\0').filter((path) => path !== '' && !path.endsWith('/') && !isNeverIndexedPath(path));
}

const readFolder = (path: string): readonly Dirent[] => {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
};

/** One folder with the paths of its files and symbolic links, relative to the root. */
interface FolderContent {
  readonly folder: string;
  /** True for the root of a nested repository, whose files and folders are left out. */
  readonly isNested: boolean;
  readonly files: readonly string[];
  readonly links: readonly string[];
}

const IN_REPOSITORY = '.git';

/**
 * Yields `start` and the folders below it that are not ignored, each with its content. `enter` is called with a folder
 * before it is read. The files are not compared with the ignore rules.
 */
export function* foldersBelow(
  root: string,
  start: string,
  rules: IgnoreRules,
  enter: (folder: string) => void = () => undefined,
): Generator<FolderContent> {
  const pending = [start];
  for (const folder of pending) {
    enter(folder);
    const entries = readFolder(join(root, folder));
    const files: string[] = [];
    const links: string[] = [];
    if (folder !== start && entries.some(({ name }) => name === IN_REPOSITORY)) {
      yield { folder, isNested: true, files, links };
      continue;
    }
    for (const entry of entries) {
      if (isNeverIndexed(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) files.push(path);
      else if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isDirectory() && !rules.excludes(path, true)) pending.push(path);
    }
    yield { folder, isNested: false, files, links };
  }
}

/** Lists the files of a folder that is not under git. Ignored files and symbolic links are left out. */
function walkFiles(root: string): readonly string[] {
  const rules = createIgnoreRules(root);
  const found: string[] = [];
  for (const { files } of foldersBelow(root, '', rules)) {
    found.push(...files.filter((path) => !rules.excludes(path, false)));
    if (found.length >= MAX_FILES) break;
  }
  return found;
}

/** Lists the files of a worktree: with `git ls-files` if git is available, else by walking the folders. */
export async function listFiles(root: string): Promise<readonly string[]> {
  const files = (await listByGit(root)) ?? walkFiles(root);
  return files.length > MAX_FILES ? files.slice(0, MAX_FILES) : files;
}
