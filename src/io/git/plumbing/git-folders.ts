import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { worktreeTop } from '../../project/linked-worktree.ts';

export interface GitFolders {
  /** The git folder of this worktree, with `HEAD` and `index`. */
  readonly own: string;
  /** The git folder that all worktrees share, with `config`, `hooks` and `refs`. */
  readonly common: string;
}

const textOf = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);

/**
 * Finds the git folders of the worktree that contains a folder (see gitrepository-layout(5)); null if no worktree
 * contains it.
 */
export async function gitFoldersOf(folder: string): Promise<GitFolders | null> {
  const top = await worktreeTop(folder);
  if (top === null) return null;
  const dot = path.join(top, '.git');
  const isFolder = (await stat(dot).catch(() => null))?.isDirectory() === true;
  const named = isFolder ? dot : /^gitdir: *(.+?)\s*$/.exec((await textOf(dot)) ?? '')?.[1];
  const own = named === undefined ? null : await realpath(path.resolve(top, named)).catch(() => null);
  if (own === null) return null;
  const shared = (await textOf(path.join(own, 'commondir')))?.trim() ?? '';
  const common = shared === '' ? own : await realpath(path.resolve(own, shared)).catch(() => null);
  return common === null ? null : { own, common };
}

const COMMIT = /^[0-9a-f]{40,64}$/;

async function packedCommit(common: string, ref: string): Promise<string | null> {
  const lines = ((await textOf(path.join(common, 'packed-refs'))) ?? '').split('\n');
  return lines.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? null;
}

/**
 * Returns the branch that is checked out and its commit. Null if HEAD is detached, or if the ref is stored in a format
 * that this function doesn't read.
 */
export async function branchOf({ own, common }: GitFolders): Promise<{ ref: string; commit: string } | null> {
  const ref = /^ref: (refs\/heads\/[^\s]+)\s*$/.exec((await textOf(path.join(own, 'HEAD'))) ?? '')?.[1];
  if (ref === undefined || ref.split('/').includes('..')) return null;
  return commitOf(common, ref);
}

export async function commitOf(common: string, ref: string): Promise<{ ref: string; commit: string } | null> {
  const loose = (await textOf(path.join(common, ...ref.split('/'))))?.trim();
  const commit = loose ?? (await packedCommit(common, ref));
  return commit !== null && COMMIT.test(commit) ? { ref, commit } : null;
}
