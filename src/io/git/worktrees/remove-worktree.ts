import { readdir } from 'node:fs/promises';
import type { Processes } from '#protocol/services.ts';
import { type ListedWorktree, type Refused, type WorkFound } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import type { BranchWork } from './find-commits.ts';
import { findWork, type WorkQuestion } from './find-work.ts';
import { gitTrouble, refused, said, type TroubleWhy } from './git-refusal.ts';
import { keepTip } from './keep-branch-tip.ts';
import { listWorktrees } from './list-worktrees.ts';
import { branchCommit } from './resolve-base.ts';

export interface Removal extends WorkQuestion {
  /** Delete `branch` too; not one that was attached. */
  readonly deletesBranch: boolean;
  /** All that would be lost is kept elsewhere, or a person said that it may go. Locks of others and running processes still hinder. */
  readonly force: boolean;
}

export type Removed =
  | {
      readonly kind: 'removed';
      /** Hash of the branch that was deleted; null when none was. */
      readonly tip: string | null;
      /** Leads to the branch's commits, where the base has not these very ones; null when it has them, or no branch was deleted. */
      readonly recovery: string | null;
      /** What is still there, and why; no file is removed but by git. */
      readonly leftovers: readonly string[];
    }
  | (Refused<TroubleWhy | 'has_work' | 'main_worktree' | 'not_a_worktree'> & { readonly work: readonly WorkFound[] });

/** Not even a person's word takes these away. */
const NEVER_FORCED: ReadonlySet<WorkFound['kind']> = new Set(['locked', 'processes']);

const without = (
  why: Refused<TroubleWhy | 'has_work' | 'main_worktree' | 'not_a_worktree'>,
  work: readonly WorkFound[] = [],
): Removed => ({
  ...why,
  work,
});

function workRefused(worktree: string, work: readonly WorkFound[]): Removed {
  const all = work.map(({ message }) => message).join('; ');
  return without(refused('has_work', `${worktree} is not removed: ${all}`), work);
}

interface BranchGone {
  readonly recovery: string | null;
  /** Why it is still there; null: it is not. */
  readonly still: string | null;
}

const stays = (still: string): BranchGone => ({ recovery: null, still });

/** Deleted only as it was seen: a commit that came meanwhile keeps it. */
async function deleteBranch(git: Git, { repository, branch, base }: BranchWork, tip: string): Promise<BranchGone> {
  const listed = await listWorktrees(git, repository);
  const holder = listed.kind === 'listed' ? listed.worktrees.find((one) => one.branch === branch) : undefined;
  if (holder !== undefined) return stays(`the branch "${branch}" is checked out in ${holder.path}`);
  const kept = await keepTip(git, { repository, branch, base }, tip);
  if (!kept.ok)
    return stays(`the branch "${branch}" is still there: its commits could not be kept elsewhere: ${kept.why}`);
  const deleted = await git(repository, ['update-ref', '-d', `refs/heads/${branch}`, tip]);
  if (!deleted.ok) return stays(`the branch "${branch}" is still there: ${said(deleted)}`);
  // As `git branch -D` does; most have no settings.
  await git(repository, ['config', '--remove-section', `branch.${branch}`]);
  return { recovery: kept.ref, still: null };
}

const isListed = async (git: Git, { repository, worktree }: Removal): Promise<boolean> => {
  const listed = await listWorktrees(git, repository);
  return listed.kind === 'listed' && listed.worktrees.some(({ path }) => path === worktree);
};

/** Null: git has removed it. A lock of ours is taken off for it, and put back when git refuses. */
async function gitRemove(git: Git, removal: Removal, { locked }: ListedWorktree): Promise<Refused<TroubleWhy> | null> {
  const { repository, worktree, force } = removal;
  const remove = (more: readonly string[]) => git(repository, ['worktree', 'remove', ...more, '--', worktree]);
  if (locked !== null) await git(repository, ['worktree', 'unlock', '--', worktree]);
  const first = await remove(force ? ['--force'] : []);
  // Git looks into no submodule; we have.
  const removed = !first.ok && /containing submodules/.test(first.err) ? await remove(['--force']) : first;
  // It may have forgotten it and failed to delete a file: that can't be taken back.
  if (removed.ok || !(await isListed(git, removal))) return null;
  if (locked !== null) await git(repository, ['worktree', 'lock', '--reason', locked, '--', worktree]);
  return gitTrouble(`Removing the worktree ${worktree}`, removed);
}

/**
 * Only by `git worktree remove`, and only what loses nothing, unless it is forced. What git leaves behind is told, never
 * removed by us (spec/worktrees.md "Nothing is ever lost").
 */
export async function removeWorktree(git: Git, processes: Processes, removal: Removal): Promise<Removed> {
  const { repository, worktree, branch, force } = removal;
  const listed = await listWorktrees(git, repository);
  if (listed.kind === 'refused') return without(listed);
  const entry = listed.worktrees.find(({ path }) => path === worktree);
  if (entry?.isMain === true)
    return without(refused('main_worktree', `${worktree} is the main worktree: it is never removed`));
  const isThere = await readdir(worktree).catch(() => null);
  if (entry === undefined && isThere !== null)
    return without(
      refused(
        'not_a_worktree',
        `Git knows no worktree ${worktree}: look at what is in it, and remove the folder yourself`,
      ),
    );
  const { found } = await findWork(git, processes, removal);
  const hindering = force ? found.filter(({ kind }) => NEVER_FORCED.has(kind)) : found;
  if (hindering.length > 0) return workRefused(worktree, hindering);
  const tip = branch === null ? null : await branchCommit(git, repository, branch);
  const trouble = entry === undefined ? null : await gitRemove(git, removal, entry);
  if (trouble !== null) return without(trouble);
  const left = await readdir(worktree).catch(() => null);
  const leftovers =
    left === null ? [] : [`${worktree} is still there, with ${left.length} entries: git did not remove all of it`];
  if (branch === null || tip === null || !removal.deletesBranch)
    return { kind: 'removed', tip: null, recovery: null, leftovers };
  const { recovery, still } = await deleteBranch(git, { repository, branch, base: removal.base }, tip);
  if (still !== null) return { kind: 'removed', tip: null, recovery, leftovers: [...leftovers, still] };
  return { kind: 'removed', tip, recovery, leftovers };
}
