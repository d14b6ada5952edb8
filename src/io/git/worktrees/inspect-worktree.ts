import { access, constants, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isOurLock, type WorktreeState } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { said } from './git-refusal.ts';
import { locksIn, operationIn } from './git-state.ts';
import { countChanges, type ReadStatus, readStatus } from '../plumbing/read-status.ts';
import { worktreeFolders } from './worktree-folders.ts';

async function behindBase(git: Git, worktree: string, base: string | null): Promise<number | null> {
  if (base === null) return null;
  const counted = await git(worktree, ['rev-list', '--count', `HEAD..refs/heads/${base}`]);
  return counted.ok ? Number(counted.out.trim()) : null;
}

export type OnStatus = (worktree: string, status: ReadStatus) => void;

/** A worktree as it is: what its health is judged by. Changes nothing. `now`: milliseconds since the epoch. */
export async function inspectWorktree(
  git: Git,
  worktree: string,
  { base, now }: { readonly base: string | null; readonly now: number },
  onStatus?: OnStatus,
): Promise<WorktreeState> {
  const there = await stat(worktree).catch(() => null);
  if (there?.isDirectory() !== true) return { kind: 'missing' };
  const folders = await worktreeFolders(git, worktree);
  if (folders?.top !== worktree) return { kind: 'corrupt', message: 'it is not the top of a worktree' };
  const status = await readStatus(git, worktree);
  onStatus?.(worktree, status);
  if ('failed' in status) return { kind: 'corrupt', message: said(status.failed) };
  const reason = await readFile(path.join(folders.own, 'locked'), 'utf8').catch(() => null);
  return {
    kind: 'there',
    head: status.head,
    branch: status.branch,
    changes: countChanges(status),
    operation: await operationIn(folders.own),
    locks: await locksIn(folders.own, now),
    lockedByOthers: reason === null || isOurLock(reason) ? null : reason.trim(),
    behind: await behindBase(git, worktree, base),
    isWritable: await access(worktree, constants.W_OK).then(
      () => true,
      () => false,
    ),
  };
}
