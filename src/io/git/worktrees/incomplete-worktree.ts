import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Processes } from '#protocol/services.ts';
import { isOurLock, type ListedWorktree, type Refused } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { takeSnapshot } from '../plumbing/snapshot.ts';
import { type GitFolders, gitFoldersOf } from '../guard/git-folders.ts';
import { refused } from './git-refusal.ts';
import { removeWorktree } from './remove-worktree.ts';

/** `git worktree add` holds this lock while it works, unless it was given another one. */
const BEGINNING = 'initializing';

/** Was the git that made it ended before all files were there? It writes the index last. */
export async function isHalfMade({ own }: GitFolders): Promise<boolean> {
  const lock = await readFile(path.join(own, 'locked'), 'utf8').catch(() => '');
  return lock.trim() === BEGINNING || (await stat(path.join(own, 'index')).catch(() => null)) === null;
}

/** A worktree of a session that was not finished: to git, all that is missing in it was deleted there. */
export async function isLeftHalfMade({ path: place, locked }: ListedWorktree): Promise<boolean> {
  if (locked === null || !isOurLock(locked)) return false;
  const folders = await gitFoldersOf(place);
  return folders !== null && isHalfMade(folders);
}

export interface HalfMade {
  /** The main worktree, or a bare repository. */
  readonly repository: string;
  /** Absolute, without links. */
  readonly worktree: string;
  /** Where what is in it is kept: nobody can tell whether somebody has written there since. */
  readonly rescueRef: string;
  readonly now: number;
}

/** Removes what was not finished, so that it can be made again; its branch stays. Null: it is gone. */
export async function removeHalfMade(
  git: Git,
  processes: Processes,
  { repository, worktree, rescueRef, now }: HalfMade,
): Promise<Refused<'half_made'> | null> {
  const stays = (why: string): Refused<'half_made'> =>
    refused('half_made', `${worktree} was not finished when it was made, and can't be made again: ${why}`);
  const kept = await takeSnapshot(git, worktree, rescueRef, 'before an unfinished worktree was made again');
  if (kept.kind === 'refused') return stays(kept.message);
  const removed = await removeWorktree(git, processes, {
    ...{ repository, worktree, branch: null, base: 'HEAD', ignored: [], now },
    ...{ deletesBranch: false, force: true },
  });
  if (removed.kind === 'refused') return stays(removed.message);
  return removed.leftovers.length === 0 ? null : stays(removed.leftovers.join('; '));
}
