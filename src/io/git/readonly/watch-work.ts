import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { gitFoldersOf } from '../plumbing/git-folders.ts';
import { zeroSplit } from '../plumbing/quiet-git.ts';
import type { ReadOnlyRepository } from './open-repository.ts';

/** Watches the files of worktrees and the refs of their repository. */
export interface WorkWatch {
  /** Watches these worktrees, and no others. Resolves once all their folders are watched. */
  cover(worktrees: readonly string[]): Promise<void>;
  /** Why events may be missing, so that everything must be read again from time to time; null if they are complete. */
  trouble(): string | null;
  close(): void;
}

/** `worktree`: where something may have changed; null for the refs. */
type OnChange = (worktree: string | null) => void;

/** A single watch covers a whole tree on these systems. */
const IS_RECURSIVE = process.platform === 'darwin' || process.platform === 'win32';

/** Files of a git folder that change when commits are made, or when files are staged. */
const OF_WORKTREE: ReadonlySet<string> = new Set(['HEAD', 'index']);

/** Returns the folders with files that are not ignored, relative to the worktree. */
async function foldersIn({ git }: ReadOnlyRepository, worktree: string): Promise<ReadonlySet<string>> {
  const listed = await git(worktree, ['ls-files', '-z', '-c', '-o', '--exclude-standard']);
  const folders = new Set(['']);
  for (const file of zeroSplit(listed.out))
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      const folder = file.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}

async function refFolders(common: string): Promise<readonly string[]> {
  const found = [common, path.join(common, 'worktrees')];
  for (const kind of ['refs/heads', 'refs/remotes']) {
    const top = path.join(common, kind);
    const below = await readdir(top, { recursive: true, withFileTypes: true }).catch(() => []);
    found.push(top, ...below.filter((one) => one.isDirectory()).map((one) => path.join(one.parentPath, one.name)));
  }
  return found;
}

/** Creates the watch. Folders that git ignores are not watched. */
export function watchWork(repository: ReadOnlyRepository, onChange: OnChange): WorkWatch {
  const watches = new Map<string, FSWatcher>();
  let trouble: string | null = null;

  /** Starts to watch a folder. Returns false if it was watched before, or can't be. */
  const add = (folder: string, onEvent: (name: string) => void, recursive = false): boolean => {
    if (watches.has(folder)) return false;
    try {
      const made = watch(folder, { recursive }, (_, name) => onEvent(name ?? ''));
      made.on('error', () => watches.delete(folder));
      watches.set(folder, made);
      return true;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
      if (code !== 'ENOENT' && code !== 'ENOTDIR') trouble = `not all folders can be watched (${code})`;
      return false;
    }
  };

  const coverWorktree = async (worktree: string, wanted: Set<string>): Promise<void> => {
    const own = (await gitFoldersOf(worktree))?.own;
    if (own !== undefined) {
      wanted.add(own);
      add(own, (name) => OF_WORKTREE.has(name) && onChange(worktree));
    }
    if (IS_RECURSIVE) {
      wanted.add(worktree);
      add(worktree, (name) => name.split(path.sep)[0] !== '.git' && onChange(worktree), true);
      return;
    }
    // A folder that appears after the list was made is in the next list.
    for (let isNew = true; isNew;) {
      isNew = false;
      for (const folder of await foldersIn(repository, worktree)) {
        const place = path.join(worktree, folder);
        wanted.add(place);
        if (add(place, (name) => name !== '.git' && onChange(worktree)) && folder !== '') isNew = true;
      }
    }
  };

  return {
    cover: async (worktrees) => {
      const wanted = new Set(await refFolders(repository.common));
      for (const folder of wanted) add(folder, (name) => !name.endsWith('.lock') && onChange(null));
      for (const worktree of worktrees) await coverWorktree(worktree, wanted);
      for (const [folder, made] of watches)
        if (!wanted.has(folder)) {
          made.close();
          watches.delete(folder);
        }
    },
    trouble: () => trouble,
    close: () => {
      for (const made of watches.values()) made.close();
      watches.clear();
    },
  };
}
