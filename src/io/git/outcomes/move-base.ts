import type { Git, GitAnswer } from '../plumbing/git.ts';
import { commitOf, lineOf, moveRef } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';
import { withoutLfs } from '../plumbing/without-lfs.ts';
import { holderOf } from './checkouts.ts';
import { CHECKOUT_MS } from './temporary-worktree.ts';

/** `moved_meanwhile`: the base is no longer what it was, or no longer where it was. */
export type BaseMoved = { readonly kind: 'moved'; readonly commit: string } | 'moved_meanwhile' | Refusal;

/** Git lists the files between two sentences, each behind a tab. */
const listedIn = (err: string): readonly string[] => [...err.matchAll(/^\t(.+)$/gm)].map(([, file = '']) => file);

const headOf = async (git: Git, folder: string): Promise<string> =>
  lineOf(await git(folder, ['symbolic-ref', '--quiet', 'HEAD']));

/** Forward and nothing else, whatever the user has set for his own merges; files that git is told to ignore are his too. */
function forward(git: Git, folder: string, base: string, to: string): Promise<GitAnswer> {
  const plain = ['-c', 'merge.autoStash=false', '-c', `branch.${base}.mergeOptions=`];
  const how = ['--ff-only', '--no-squash', '--commit', '--no-autostash', '--no-overwrite-ignore'];
  return git(folder, [...plain, 'merge', '-q', ...how, to], { timeoutMs: CHECKOUT_MS });
}

/** Is the commit in the base? A hook that ran after the move may have gone on from there. */
const isIn = async (git: Git, repository: string, to: string, ref: string): Promise<boolean> =>
  (await git(repository, ['merge-base', '--is-ancestor', to, ref])).ok;

/** Somebody checked out another branch in the moment before git went forward. */
async function whyElsewhere(
  git: Git,
  folder: string,
  base: string,
  from: string,
  to: string,
): Promise<Refusal | 'moved_meanwhile'> {
  if (!(await isIn(git, folder, to, 'HEAD'))) return 'moved_meanwhile';
  const other = (await headOf(git, folder)).replace(/^refs\/heads\//, '') || 'a detached HEAD';
  return refused(
    'branch_elsewhere',
    `${folder} was switched from ${base} to ${other} during the merge, so that git moved ${other} and not ${base}; ` +
      `\`git reset --keep ${from}\` takes ${other} back; then check out ${base} there, and merge again`,
  );
}

async function whyNotMoved(answer: GitAnswer, base: string, folder: string | null): Promise<Refusal> {
  const why = await whyFailed(answer, `${base} was not moved`);
  const files = listedIn(answer.err);
  if (files.length === 0 || folder === null) return why;
  const what = `${folder} has files of yours that are not committed and that the merge would write over`;
  return refused('checkout_blocked', `${what}; commit, stash or move them, and merge again`, files);
}

/**
 * Moves a base forward: by `git merge --ff-only` in the checkout that has it, so that git protects the files there (its `post-merge` hook
 * runs, and cannot refuse), else by its ref alone.
 */
export async function moveBase(
  git: Git,
  repository: string,
  base: string,
  from: string,
  to: string,
): Promise<BaseMoved> {
  const ref = `refs/heads/${base}`;
  const holder = await holderOf(git, repository, base);
  if (holder.kind === 'refused') return holder;
  const { folder } = holder;
  if ((await commitOf(git, repository, ref)) !== from) return 'moved_meanwhile';
  const own = await withoutLfs(git, repository);
  // Git moves what is checked out there then.
  if (folder !== null && (await headOf(git, folder)) !== ref) return 'moved_meanwhile';
  const answer =
    folder === null ? await moveRef(git, repository, ref, to, from, 'merge') : await forward(own, folder, base, to);
  // What came after the move, as a hook that failed, hung or committed, does not undo it.
  const now = await commitOf(git, repository, ref);
  const isElsewhere = folder !== null && (await headOf(git, folder)) !== ref;
  const isMoved = now === to || (answer.ok && now !== from && !isElsewhere) || (await isIn(git, repository, to, ref));
  if (isMoved) return { kind: 'moved', commit: now ?? to };
  if (answer.ok && folder !== null) return whyElsewhere(git, folder, base, from, to);
  return now === from ? whyNotMoved(answer, base, folder) : 'moved_meanwhile';
}
