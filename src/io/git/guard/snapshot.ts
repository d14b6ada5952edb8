import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Access } from '#protocol/graph.ts';
import type { Entry, Key } from './entries.ts';
import type { SetUpSnapshot } from './set-up-files.ts';

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
  /** The folder of git's hooks, if that lies in the worktree. */
  readonly hooks: string | null;
  readonly worktree: FolderSnapshot;
  /** The folders of the worktree of which only the names of files are recorded. */
  readonly setUp: SetUpSnapshot;
  readonly git: GitSnapshot | null;
  /** The recorded state of the project's `.flow` folder; null if there is none. */
  readonly state: FolderSnapshot | null;
}

export const copyIn = (folder: string, copy: number): string => path.join(folder, 'files', String(copy));

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
  /** Missing in snapshots of version 0.1. */
  readonly hooks?: string | null;
  /** Missing in snapshots of version 0.1. */
  readonly setUp?: StoredSetUp;
  readonly git: StoredGit | null;
};

type StoredGit = Pick<GitSnapshot, 'branch'> & {
  readonly common: StoredKept;
  readonly own: StoredKept;
  /** Missing in snapshots of older versions. */
  readonly refs?: readonly (readonly [string, string])[];
};

interface StoredSetUp {
  readonly since: number;
  readonly folders: readonly { readonly key: Key; readonly files: readonly Key[] }[];
}

const storedSetUp = ({ since, folders }: SetUpSnapshot): StoredSetUp => ({
  since,
  folders: folders.map(({ key, files }) => ({ key, files: [...files] })),
});

const unstoredSetUp = ({ since, folders }: StoredSetUp): SetUpSnapshot => ({
  since,
  folders: folders.map(({ key, files }) => ({ key, files: new Set(files) })),
});

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

const snapshotFile = (folder: string): string => path.join(folder, 'snapshot.json');

/** Writes the snapshot of a watch atomically, before the agent starts. */
export async function saveSnapshot(
  folder: string,
  { access, ignoresCase, hooks, worktree, setUp, git, state }: Snapshot,
): Promise<void> {
  const data: StoredSnapshot = {
    access,
    ignoresCase,
    hooks,
    worktree: stored(worktree),
    setUp: storedSetUp(setUp),
    state: state === null ? null : stored(state),
    git: git === null ? null : storedGit(git),
  };
  await writeFile(`${snapshotFile(folder)}.tmp`, JSON.stringify(data), { mode: 0o600 });
  await rename(`${snapshotFile(folder)}.tmp`, snapshotFile(folder));
}

/** Reads the snapshot of a watch; null if the watch had not begun. */
export async function readSnapshot(folder: string): Promise<Snapshot | null> {
  const text = await readFile(snapshotFile(folder), 'utf8').catch(() => null);
  if (text === null) return null;
  const read = JSON.parse(text) as StoredSnapshot;
  const { access, ignoresCase, hooks = null, worktree, git, state = null, setUp = { since: 0, folders: [] } } = read;
  return {
    access,
    ignoresCase,
    hooks,
    worktree: unstored(worktree),
    setUp: unstoredSetUp(setUp),
    state: state === null ? null : unstored(state),
    git: git === null ? null : unstoredGit(git),
  };
}
