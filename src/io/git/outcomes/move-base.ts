import type { Git, GitAnswer } from '../plumbing/git.ts';
import { commitOf, lineOf, moveRef } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';
import { withoutLfs } from '../plumbing/without-lfs.ts';
import { holderOf } from './checkouts.ts';
import { CHECKOUT_MS } from './temporary-worktree.ts';

/**
 * The result of moving a base. `moved_meanwhile`: the base has another commit than expected, or is no longer checked
 * out in the same place.
 */
type BaseMoved = { readonly kind: 'moved'; readonly commit: string } | 'moved_meanwhile' | Refusal;

/** Returns the files that git lists in its message, each after a tab. */
const listedIn = (err: string): readonly string[] => [...err.matchAll(/^\t(.+)$/gm)].map(([, file = '']) => file);

const headOf = async (git: Git, folder: string): Promise<string> =>
  lineOf(await git(folder, ['symbolic-ref', '--quiet', 'HEAD']));

/** Fast-forwards the base, regardless of the user's settings for merges. Ignored files are never overwritten. */
function forward(git: Git, folder: string, base: string, to: string): Promise<GitAnswer> {
  const plain = ['-c', 'merge.autoStash=false', '-c', `branch.${base}.mergeOptions=`];
  const how = ['--ff-only', '--no-squash', '--commit', '--no-autostash', '--no-overwrite-ignore'];
  return git(folder, [...plain, 'merge', '-q', ...how, to], { timeoutMs: CHECKOUT_MS });
}

/**
 * Returns whether the base is at the commit or contains it, since a hook may have added further commits after the move.
 */
const isIn = async (git: Git, repository: string, to: string, ref: string): Promise<boolean> =>
  (await git(repository, ['merge-base', '--is-ancestor', to, ref])).ok;

/** Explains the case in which another branch was checked out just before git fast-forwarded. */
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
    `${folder} was switched from ${base} to ${other} during the merge, so git moved ${other} instead of ${base}. ` +
      `Undo this with \`git reset --keep ${from}\` there, check out ${base}, and merge again`,
  );
}

async function whyNotMoved(answer: GitAnswer, base: string, folder: string | null): Promise<Refusal> {
  const why = await whyFailed(answer, `${base} was not moved`);
  const files = listedIn(answer.err);
  if (files.length === 0 || folder === null) return why;
  const what = `${folder} has uncommitted files that the merge would overwrite`;
  return refused('checkout_blocked', `${what}. Commit, stash or move them, and merge again`, files);
}

/**
 * Moves a base forward. If a worktree has it checked out, `git merge --ff-only` runs there, so that git protects its
 * files (the hook `post-merge` runs, and can't refuse). Otherwise only the ref is updated.
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
  // If another branch has been checked out in the folder meanwhile, git would move that branch instead.
  if (folder !== null && (await headOf(git, folder)) !== ref) return 'moved_meanwhile';
  const answer =
    folder === null ? await moveRef(git, repository, ref, to, from, 'merge') : await forward(own, folder, base, to);
  // A hook that failed, hung or committed after the base moved doesn't undo the move.
  const now = await commitOf(git, repository, ref);
  const isElsewhere = folder !== null && (await headOf(git, folder)) !== ref;
  const isMoved = now === to || (answer.ok && now !== from && !isElsewhere) || (await isIn(git, repository, to, ref));
  if (isMoved) return { kind: 'moved', commit: now ?? to };
  if (answer.ok && folder !== null) return whyElsewhere(git, folder, base, from, to);
  return now === from ? whyNotMoved(answer, base, folder) : 'moved_meanwhile';
}
