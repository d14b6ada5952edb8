import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { SessionId } from '#protocol/id.ts';
import type { Processes } from '#protocol/services.ts';
import type { ListedWorktree, WorktreeRefusal, WorkFound } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import type { BranchWork } from './find-commits.ts';
import { findWork, type WorkQuestion } from './find-work.ts';
import { gitTrouble, refused, lastLines, type GitTroubleReason } from './git-refusal.ts';
import { worktreeEntry } from '../plumbing/worktree-entry.ts';
import { keepHeads, keptHeadsText } from './keep-heads.ts';
import { keepTip } from './keep-branch-tip.ts';
import { listWorktrees } from './list-worktrees.ts';
import { takeAway } from './take-away.ts';
import { branchCommit } from './resolve-base.ts';
import { messageOf } from '#protocol/message-of.ts';

export interface Removal extends WorkQuestion {
  /** The session that the worktree belongs to, which names the refs that keep its commits; null if it has none. */
  readonly session: SessionId | null;
  /** Whether to delete `branch` as well; false for an attached branch. */
  readonly deletesBranch: boolean;
  /**
   * Whether to remove a worktree that has work in it, because the work is kept elsewhere or a person has confirmed.
   * Locks that the engine didn't set, and running processes, still prevent the removal.
   */
  readonly force: boolean;
}

export type RemoveResult =
  | {
      readonly kind: 'removed';
      /** The commit of the deleted branch; null if none was deleted. */
      readonly tip: string | null;
      /**
       * A ref to the branch's commits. Null if the base contains these commits unchanged, or if no branch was deleted.
       */
      readonly recovery: string | null;
      /** Messages about commits that are kept under a ref, because they were on no branch. */
      readonly kept: readonly string[];
      /** What the removal left behind, and why. This code itself deletes no files; only git does. */
      readonly leftovers: readonly string[];
    }
  | (WorktreeRefusal<GitTroubleReason | 'has_work' | 'main_worktree' | 'not_a_worktree'> & {
      readonly work: readonly WorkFound[];
    });

/** Findings that prevent the removal even with `force`. */
const NEVER_FORCED: ReadonlySet<WorkFound['kind']> = new Set(['locked', 'processes']);

const without = (
  why: WorktreeRefusal<GitTroubleReason | 'has_work' | 'main_worktree' | 'not_a_worktree'>,
  work: readonly WorkFound[] = [],
): RemoveResult => ({
  ...why,
  work,
});

function workRefused(worktree: string, work: readonly WorkFound[]): RemoveResult {
  const all = work.map(({ message }) => message).join('; ');
  return without(refused('has_work', `${worktree} is not removed: ${all}`), work);
}

interface BranchGone {
  readonly recovery: string | null;
  /** The reason why the branch still exists; null if it was deleted. */
  readonly still: string | null;
}

const stays = (still: string): BranchGone => ({ recovery: null, still });

/** Deletes the branch if it is still at the commit `tip`. It is kept if a commit was made meanwhile. */
async function deleteBranch(git: Git, { repository, branch, base }: BranchWork, tip: string): Promise<BranchGone> {
  const listed = await listWorktrees(git, repository);
  const holder = listed.kind === 'listed' ? listed.worktrees.find((one) => one.branch === branch) : undefined;
  if (holder !== undefined) return stays(`the branch "${branch}" is checked out in ${holder.path}`);
  const kept = await keepTip(git, { repository, branch, base }, tip);
  if (!kept.ok)
    return stays(`the branch "${branch}" was not deleted, because its commits could not be saved: ${kept.why}`);
  const deleted = await git(repository, ['update-ref', '-d', `refs/heads/${branch}`, tip]);
  if (!deleted.ok) return stays(`the branch "${branch}" was not deleted: ${lastLines(deleted)}`);
  // `git branch -D` also removes these settings. The command fails if there are none, as for most branches.
  await git(repository, ['config', '--remove-section', `branch.${branch}`]);
  return { recovery: kept.ref, still: null };
}

const isListed = async (git: Git, { repository, worktree }: Removal): Promise<boolean> => {
  const listed = await listWorktrees(git, repository);
  return listed.kind === 'listed' && listed.worktrees.some(({ path }) => path === worktree);
};

/**
 * Removes a worktree with git; returns null on success. The engine's own lock is released first, and restored if git
 * refuses.
 */
async function gitRemove(
  git: Git,
  removal: Removal,
  { locked }: ListedWorktree,
  entry: string | null,
): Promise<WorktreeRefusal<GitTroubleReason> | null> {
  const { repository, worktree, force } = removal;
  const remove = (more: readonly string[]) => git(repository, ['worktree', 'remove', ...more, '--', worktree]);
  if (locked !== null) await git(repository, ['worktree', 'unlock', '--', worktree]);
  const moved = entry === null ? null : await takeAway(git, { repository, worktree, entry, force });
  const first = moved ?? (await remove(force ? ['--force'] : []));
  // Without `--force`, git refuses to remove any worktree with submodules. It is safe here, since `findWork` has
  // inspected the submodules.
  const removed = !first.ok && /containing submodules/.test(first.err) ? await remove(['--force']) : first;
  // If git no longer lists the worktree, git has deregistered it and only failed to delete some files. This can't be
  // undone.
  if (removed.ok || !(await isListed(git, removal))) return null;
  if (locked !== null) await git(repository, ['worktree', 'lock', '--reason', locked, '--', worktree]);
  return gitTrouble(`Removing the worktree ${worktree}`, removed);
}

/**
 * Removes a worktree with `git worktree remove`, and refuses if work would be lost, unless `force` is set. Files that
 * git leaves behind are reported and never removed by this code.
 */
export async function removeWorktree(git: Git, processes: Processes, removal: Removal): Promise<RemoveResult> {
  const { repository, worktree, branch, force } = removal;
  const listed = await listWorktrees(git, repository);
  if (listed.kind === 'refused') return without(listed);
  const entry = listed.worktrees.find(({ path }) => path === worktree);
  if (entry?.isMain === true)
    return without(refused('main_worktree', `${worktree} is the main worktree, which is never removed`));
  const isThere = await readdir(worktree).catch(() => null);
  if (entry === undefined && isThere !== null)
    return without(
      refused(
        'not_a_worktree',
        `Git does not know the worktree ${worktree}. Check its content, and remove the folder yourself`,
      ),
    );
  const { found } = await findWork(git, processes, removal);
  const hindering = force ? found.filter(({ kind }) => NEVER_FORCED.has(kind)) : found;
  if (hindering.length > 0) return workRefused(worktree, hindering);
  const tip = branch === null ? null : await branchCommit(git, repository, branch);
  const own = entry === undefined ? null : await worktreeEntry(git, repository, worktree);
  if (own !== null && typeof own !== 'string') return without(refused('git_failed', own.message));
  const name = removal.session ?? path.basename(own ?? worktree);
  const kept = own === null ? null : await keepHeads(git, { repository, entry: own, name });
  if (kept !== null && 'kind' in kept) return without(refused('git_failed', kept.message));
  const heads = kept === null ? [] : [keptHeadsText(kept)];
  const trouble = entry === undefined ? null : await gitRemove(git, removal, entry, own);
  if (trouble !== null) return without(trouble);
  const left = await readdir(worktree).catch(() => null);
  const leftovers =
    left === null ? [] : [`${worktree} still exists, with ${left.length} entries that git did not remove`];
  const removed = { kind: 'removed', tip: null, recovery: null, leftovers, kept: heads } as const;
  if (branch === null || tip === null || !removal.deletesBranch) return removed;
  const { recovery, still } = await deleteBranch(git, { repository, branch, base: removal.base }, tip);
  if (still !== null) return { ...removed, recovery, leftovers: [...leftovers, still] };
  return { ...removed, tip, recovery };
}

/**
 * Removes the folder in which a repository has registered a worktree of the repository that it was copied from. Git
 * refuses to do that. Returns why it could not be removed; null if it was.
 */
export const removeCopiedEntry = (entry: string): Promise<string | null> =>
  rm(entry, { recursive: true }).then(() => null, messageOf);
