import { constants } from 'node:fs';
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Access } from '#protocol/graph.ts';
import { type Entry, type Key, placeOf } from './entries.ts';

/** A folder that is looked after, as it was before. */
export interface Kept {
  /** Absolute, without links. */
  readonly root: string;
  readonly entries: ReadonlyMap<Key, Entry>;
  /** The copy that has the content of a file. */
  readonly copies: ReadonlyMap<Key, number>;
}

export interface GitKept {
  /** Shared by all worktrees: `config`, `hooks`, `info` decide which programs git runs. */
  readonly common: Kept;
  /** Of this worktree: `HEAD`, `index`; empty where it may commit. */
  readonly own: Kept;
  /** The branch, and where it was; null: it has none, it can't be read, or it may be moved. */
  readonly branch: { readonly ref: string; readonly commit: string } | null;
}

/** What a watch must know, also after a crash. */
export interface Snapshot {
  readonly access: Access;
  readonly ignoresCase: boolean;
  readonly worktree: Kept;
  readonly git: GitKept | null;
  /** The project's own state; null: it has none. */
  readonly state: Kept | null;
}

/** What is larger is watched, and can't be put back: bytes of one file, and of all. */
const LARGEST = 256 * 1024 * 1024;
const MOST = 4 * 1024 * 1024 * 1024;

/** Made by tools, in great numbers: kept last, so that they take no room from what people wrote. */
const HEAVY = /(?:^|\/)(?:node_modules|\.venv|venv|target|\.gradle|\.cache)(?:\/|$)/;

const AT_ONCE = 16;

export const copyIn = (folder: string, copy: number): string => path.join(folder, 'files', String(copy));

export interface Copier {
  /** Copies the files that `wants` names: clones where the file system has them. */
  keep(root: string, entries: ReadonlyMap<Key, Entry>, wants: (key: Key) => boolean): Promise<Kept>;
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
      // It can't be read, so an agent can't change it either; if it does, that is told.
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

const stored = ({ root, entries, copies }: Kept): StoredKept => ({
  root,
  entries: [...entries],
  copies: [...copies],
});

const unstored = ({ root, entries, copies }: StoredKept): Kept => ({
  root,
  entries: new Map(entries),
  copies: new Map(copies),
});

type StoredSnapshot = Pick<Snapshot, 'access' | 'ignoresCase'> & {
  readonly worktree: StoredKept;
  /** Not there in a snapshot of version 0.1. */
  readonly state?: StoredKept | null;
  readonly git: (Pick<GitKept, 'branch'> & { readonly common: StoredKept; readonly own: StoredKept }) | null;
};

const fileIn = (folder: string): string => path.join(folder, 'snapshot.json');

/** It is there whole, or not at all: an agent begins after it. */
export async function saveSnapshot(
  folder: string,
  { access, ignoresCase, worktree, git, state }: Snapshot,
): Promise<void> {
  const data: StoredSnapshot = {
    ...{ access, ignoresCase, worktree: stored(worktree), state: state === null ? null : stored(state) },
    git: git === null ? null : { branch: git.branch, common: stored(git.common), own: stored(git.own) },
  };
  await writeFile(`${fileIn(folder)}.tmp`, JSON.stringify(data), { mode: 0o600 });
  await rename(`${fileIn(folder)}.tmp`, fileIn(folder));
}

/** Null: the watch had not begun. */
export async function readSnapshot(folder: string): Promise<Snapshot | null> {
  const text = await readFile(fileIn(folder), 'utf8').catch(() => null);
  if (text === null) return null;
  const { access, ignoresCase, worktree, git, state = null } = JSON.parse(text) as StoredSnapshot;
  return {
    ...{ access, ignoresCase, worktree: unstored(worktree), state: state === null ? null : unstored(state) },
    git: git === null ? null : { branch: git.branch, common: unstored(git.common), own: unstored(git.own) },
  };
}
