import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SessionId } from '#protocol/id.ts';
import type { Processes } from '#protocol/services.ts';
import { isOurLock, type ListedWorktree, type WorktreeRefusal } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { takeSnapshot } from '../plumbing/snapshot.ts';
import { type GitFolders, gitFoldersOf } from '../plumbing/git-folders.ts';
import { refused } from './git-refusal.ts';
import { removeWorktree } from './remove-worktree.ts';

/** The lock reason that `git worktree add` sets while it runs, unless it is given another one. */
const BEGINNING = 'initializing';

/**
 * Returns whether the git process that created the worktree ended before it had written all files. This is the case if
 * there is no index, which git writes last.
 */
export async function isHalfMade({ own }: GitFolders): Promise<boolean> {
  const lock = await readFile(path.join(own, 'locked'), 'utf8').catch(() => '');
  return lock.trim() === BEGINNING || (await stat(path.join(own, 'index')).catch(() => null)) === null;
}

/**
 * Returns whether the index of a worktree is damaged, so that git can't read it: its header is wrong, or its checksum
 * (see gitformat-index(5)), which is zero with `index.skipHash`.
 */
export async function hasDamagedIndex({ own }: GitFolders): Promise<boolean> {
  const index = await readFile(path.join(own, 'index')).catch(() => null);
  if (index === null) return false;
  if (index.length < 32 || index.toString('latin1', 0, 4) !== 'DIRC') return true;
  return !(
    [
      ['sha1', 20],
      ['sha256', 32],
    ] as const
  ).some(([name, length]) => {
    const sum = index.subarray(index.length - length);
    return sum.every((byte) => byte === 0) || sum.equals(createHash(name).update(index.subarray(0, -length)).digest());
  });
}

/**
 * Returns whether a listed worktree belongs to a session and was left incomplete. Git would treat its missing files as
 * deleted.
 */
export async function isLeftHalfMade({ path: place, locked }: ListedWorktree): Promise<boolean> {
  if (locked === null || !isOurLock(locked)) return false;
  const folders = await gitFoldersOf(place);
  return folders !== null && isHalfMade(folders);
}

interface HalfMade {
  /** The main worktree, or a bare repository. */
  readonly repository: string;
  /** The absolute path of the incomplete worktree, with symbolic links resolved. */
  readonly worktree: string;
  readonly session: SessionId;
  /** The ref under which the content is kept first, since someone may have written to the worktree meanwhile. */
  readonly rescueRef: string;
  readonly now: number;
}

/** Removes an incomplete worktree, so that it can be created again; its branch is kept. Returns null on success. */
export async function removeHalfMade(
  git: Git,
  processes: Processes,
  { repository, worktree, session, rescueRef, now }: HalfMade,
): Promise<WorktreeRefusal<'half_made'> | null> {
  const stays = (why: string): WorktreeRefusal<'half_made'> =>
    refused('half_made', `${worktree} is incomplete, and can't be created again: ${why}`);
  const kept = await takeSnapshot(git, worktree, rescueRef, 'before an incomplete worktree was created again');
  if (kept.kind === 'refused') return stays(kept.message);
  const removed = await removeWorktree(git, processes, {
    repository,
    worktree,
    session,
    branch: null,
    base: 'HEAD',
    ignored: [],
    now,
    deletesBranch: false,
    force: true,
  });
  if (removed.kind === 'refused') return stays(removed.message);
  return removed.leftovers.length === 0 ? null : stays(removed.leftovers.join('; '));
}
