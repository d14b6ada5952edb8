import { constants } from 'node:fs';
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Access } from '#protocol/graph.ts';
import { type Entry, type Key, placeOf } from './entries.ts';

/** The recorded state of a watched folder. */
export interface FolderSnapshot {
  /** The absolute path of the folder, with symbolic links resolved. */
  readonly root: string;
  readonly entries: ReadonlyMap<Key, Entry>;
  /** The number of the copy that holds the content of a file, by the file's key. */
  readonly copies: ReadonlyMap<Key, number>;
}

export interface GitSnapshot {
  /** The shared git folder. Its `config`, `hooks` and `info` decide which programs git runs. */
  readonly common: FolderSnapshot;
  /** The git folder of this worktree (`HEAD` and `index`); without entries if the agent may commit. */
  readonly own: FolderSnapshot;
  /** The branch and its commit; null if HEAD is detached, the ref can't be read, or the agent may commit. */
  readonly branch: { readonly ref: string; readonly commit: string } | null;
  /** The commits of the branches of other sessions and of bases, by name. */
  readonly refs: ReadonlyMap<string, string>;
}

/**
 * The state that a watch compares with when it ends. It is stored on disk, so that a watch can also end after a crash.
 */
export interface Snapshot {
  readonly access: Access;
  readonly ignoresCase: boolean;
  readonly worktree: FolderSnapshot;
  readonly git: GitSnapshot | null;
  /** The recorded state of the project's `.flow` folder; null if there is none. */
  readonly state: FolderSnapshot | null;
}

/** Limits in bytes for one copied file and for all copies. Larger files are watched, but can't be restored. */
const LARGEST = 256 * 1024 * 1024;
const MOST = 4 * 1024 * 1024 * 1024;

/**
 * Folders that tools fill with many files. They are copied last, so that the size limit isn't used up before the files
 * that people wrote are copied.
 */
const HEAVY = /(?:^|\/)(?:node_modules|\.venv|venv|target|\.gradle|\.cache)(?:\/|$)/;

const AT_ONCE = 16;

export const copyIn = (folder: string, copy: number): string => path.join(folder, 'files', String(copy));

export interface Copier {
  /**
   * Copies the files for which `wants` returns true into the watch's folder, by cloning where the file system supports
   * it.
   */
  keep(root: string, entries: ReadonlyMap<Key, Entry>, wants: (key: Key) => boolean): Promise<FolderSnapshot>;
}

export async function createCopier(folder: string): Promise<Copier> {
  let next = 0;
  let left = MOST;
  await mkdir(path.join(folder, 'files'), { recursive: true });

  const copyOne = async (root: string, key: Key, { size }: Entry, copies: Map<Key, number>): Promise<void> => {
    if (size > LARGEST || size > left) return;
    left -= size;
    next += 1;
    const copy = next;
    try {
      await copyFile(placeOf(root, key), copyIn(folder, copy), constants.COPYFILE_FICLONE);
      copies.set(key, copy);
    } catch {
      // A file that this process can't read is not copied, since the agent can't change it either. If it is changed
      // nevertheless, it is reported as not restored.
    }
  };

  return {
    keep: async (root, entries, wants) => {
      const files = [...entries].filter(([key, { kind }]) => kind === 'file' && wants(key));
      const order = [...files.filter(([key]) => !HEAVY.test(key)), ...files.filter(([key]) => HEAVY.test(key))];
      const copies = new Map<Key, number>();
      for (let at = 0; at < order.length; at += AT_ONCE)
        await Promise.all(order.slice(at, at + AT_ONCE).map(([key, entry]) => copyOne(root, key, entry, copies)));
      return { root, entries, copies };
    },
  };
}

interface StoredKept {
  readonly root: string;
  readonly entries: readonly (readonly [Key, Entry])[];
  readonly copies: readonly (readonly [Key, number])[];
}

const stored = ({ root, entries, copies }: FolderSnapshot): StoredKept => ({
  root,
  entries: [...entries],
  copies: [...copies],
});

const unstored = ({ root, entries, copies }: StoredKept): FolderSnapshot => ({
  root,
  entries: new Map(entries),
  copies: new Map(copies),
});

type StoredSnapshot = Pick<Snapshot, 'access' | 'ignoresCase'> & {
  readonly worktree: StoredKept;
  /** The state of `.flow`; missing in snapshots of version 0.1. */
  readonly state?: StoredKept | null;
  readonly git: StoredGit | null;
};

type StoredGit = Pick<GitSnapshot, 'branch'> & {
  readonly common: StoredKept;
  readonly own: StoredKept;
  /** Missing in snapshots of older versions. */
  readonly refs?: readonly (readonly [string, string])[];
};

const storedGit = ({ branch, common, own, refs }: GitSnapshot): StoredGit => ({
  branch,
  common: stored(common),
  own: stored(own),
  refs: [...refs],
});

const unstoredGit = ({ branch, common, own, refs = [] }: StoredGit): GitSnapshot => ({
  branch,
  common: unstored(common),
  own: unstored(own),
  refs: new Map(refs),
});

const fileIn = (folder: string): string => path.join(folder, 'snapshot.json');

/** Writes the snapshot of a watch atomically, before the agent starts. */
export async function saveSnapshot(
  folder: string,
  { access, ignoresCase, worktree, git, state }: Snapshot,
): Promise<void> {
  const data: StoredSnapshot = {
    access,
    ignoresCase,
    worktree: stored(worktree),
    state: state === null ? null : stored(state),
    git: git === null ? null : storedGit(git),
  };
  await writeFile(`${fileIn(folder)}.tmp`, JSON.stringify(data), { mode: 0o600 });
  await rename(`${fileIn(folder)}.tmp`, fileIn(folder));
}

/** Reads the snapshot of a watch; null if the watch had not begun. */
export async function readSnapshot(folder: string): Promise<Snapshot | null> {
  const text = await readFile(fileIn(folder), 'utf8').catch(() => null);
  if (text === null) return null;
  const { access, ignoresCase, worktree, git, state = null } = JSON.parse(text) as StoredSnapshot;
  return {
    access,
    ignoresCase,
    worktree: unstored(worktree),
    state: state === null ? null : unstored(state),
    git: git === null ? null : unstoredGit(git),
  };
}
