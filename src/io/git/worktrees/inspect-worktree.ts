import { access, constants, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isOurLock, type WorktreeState } from '#protocol/worktree.ts';
import { gitFoldersOf } from '../plumbing/git-folders.ts';
import type { Git } from '../plumbing/git.ts';
import { lastLines } from './git-refusal.ts';
import { locksIn, operationIn } from './git-state.ts';
import { countChanges, type ReadStatus, readStatus } from '../plumbing/read-status.ts';
import type { StatusReader } from '../plumbing/read-statuses.ts';
import { type WorktreeFolders, worktreeFolders } from './worktree-folders.ts';

/** Returns the commit of a branch; null if there is none. */
export type TipOf = (branch: string) => Promise<string | null>;

async function behindBase(
  git: Git,
  worktree: string,
  { base, tipOf }: Pick<Inspection, 'base' | 'tipOf'>,
  head: string | null,
): Promise<number | null> {
  if (base === null) return null;
  if (head !== null && (await tipOf?.(base)) === head) return 0;
  const counted = await git(worktree, ['rev-list', '--count', `HEAD..refs/heads/${base}`]);
  return counted.ok ? Number(counted.out.trim()) : null;
}

export type OnStatus = (worktree: string, status: ReadStatus) => void;

/**
 * Returns the git folder of a worktree from its `.git` file, without starting git; null if git must be run to find it.
 */
async function foldersByFile(worktree: string): Promise<Pick<WorktreeFolders, 'own' | 'top'> | null> {
  const real = await realpath(worktree).catch(() => null);
  const isTop = (await stat(path.join(worktree, '.git')).catch(() => null))?.isFile() === true;
  if (real !== worktree || !isTop) return null;
  const folders = await gitFoldersOf(worktree);
  if (folders === null || path.dirname(folders.own) !== path.join(folders.common, 'worktrees')) return null;
  return { own: folders.own, top: worktree };
}

/** The options of an inspection. `now`: milliseconds since the epoch. */
interface Inspection {
  readonly base: string | null;
  readonly now: number;
  /**
   * Looks up the commit of a branch. Callers that inspect many worktrees pass it, so that each branch is looked up only
   * once.
   */
  readonly tipOf?: TipOf;
  /** Reads the status of this worktree. Callers that inspect many worktrees pass a function that reads all of them. */
  readonly statusOf?: StatusReader;
}

/** Returns the state of a worktree, from which its health is derived. Changes nothing. */
export async function inspectWorktree(
  git: Git,
  worktree: string,
  inspection: Inspection,
  onStatus?: OnStatus,
): Promise<WorktreeState> {
  const there = await stat(worktree).catch(() => null);
  if (there?.isDirectory() !== true) return { kind: 'missing' };
  const byFile = inspection.tipOf === undefined ? null : await foldersByFile(worktree);
  const folders = byFile ?? (await worktreeFolders(git, worktree));
  if (folders?.top !== worktree) return { kind: 'corrupt', message: 'it is not the top folder of a worktree' };
  const status = await (inspection.statusOf ?? readStatus)(git, worktree);
  onStatus?.(worktree, status);
  if ('failed' in status) return { kind: 'corrupt', message: lastLines(status.failed) };
  const reason = await readFile(path.join(folders.own, 'locked'), 'utf8').catch(() => null);
  return {
    kind: 'there',
    head: status.head,
    branch: status.branch,
    changes: countChanges(status),
    operation: await operationIn(folders.own),
    locks: await locksIn(folders.own, inspection.now),
    lockedByOthers: reason === null || isOurLock(reason) ? null : reason.trim(),
    behind: await behindBase(git, worktree, inspection, status.head),
    isWritable: await access(worktree, constants.W_OK).then(
      () => true,
      () => false,
    ),
  };
}
