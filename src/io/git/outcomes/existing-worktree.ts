import { allFiles } from '../plumbing/all-files.ts';
import type { Git } from '../plumbing/git.ts';
import { commitOf, zeroSplit } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';
import { MAX_FILE_BYTES } from '../plumbing/snapshot.ts';
import { withTemporaryIndex } from '../plumbing/temporary-index.ts';
import { type Checkout, checkouts } from '../plumbing/list-checkouts.ts';
import { ownCheckout } from './checkouts.ts';

/** Returns whether each file of a worktree equals its version in at least one of the two commits. */
async function isBetween(git: Git, worktree: string, one: string, other: string): Promise<boolean | Refusal> {
  const files = await withTemporaryIndex(git, worktree, (own) => allFiles(own, worktree, MAX_FILE_BYTES));
  if (files.kind === 'refused') return files;
  const differing: (readonly string[])[] = [];
  for (const commit of [one, other]) {
    const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', files.tree, commit];
    const listed = await git(worktree, args);
    if (!listed.ok) return whyFailed(listed, `can't compare ${worktree} with the saved work`);
    differing.push(zeroSplit(listed.out));
  }
  const [first = [], second = []] = differing;
  const both = new Set(second);
  return !first.some((name) => both.has(name));
}

async function isUntouched(
  git: Git,
  own: Checkout,
  branch: string,
  tip: string,
  kept: string,
): Promise<boolean | Refusal> {
  const isOnTip = own.ref === `refs/heads/${branch}` && (await commitOf(git, own.path, 'HEAD')) === tip;
  return isOnTip && isBetween(git, own.path, tip, kept);
}

/**
 * Returns whether an interrupted restore has already made this worktree, so that it contains only the kept work.
 * Refuses if the worktree has other work.
 */
export async function isStanding(
  git: Git,
  repository: string,
  worktree: string,
  { branch, tip, kept }: { readonly branch: string; readonly tip: string; readonly kept: string },
): Promise<boolean | Refusal> {
  const all = await checkouts(git, repository);
  if ('kind' in all) return all;
  const own = await ownCheckout(worktree, all);
  if (own?.isHere !== true) return false;
  const untouched = await isUntouched(git, own, branch, tip, kept);
  if (untouched !== false) return untouched;
  return refused(
    'work_not_saved',
    `${worktree} is already a worktree, and its work differs from the saved work. Set it aside with \`git -C "${worktree}" switch --detach\` and \`git worktree move --force --force "${worktree}" <folder>\`, and restore again`,
  );
}
