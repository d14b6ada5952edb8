import type { Git } from '../git/git.ts';
import { commitOf, moveRef } from '../git/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../git/refusal.ts';
import { holderOf } from './checkouts.ts';
import { CHECKOUT_MS } from './scratch.ts';

/** Git lists the files between two sentences, each behind a tab. */
const listedIn = (err: string): readonly string[] => [...err.matchAll(/^\t(.+)$/gm)].map(([, file = '']) => file);

/**
 * Moves a base forward: by `git merge --ff-only` in the checkout that has it, so that git protects the files there (its `post-merge` hook
 * runs, and cannot refuse), else by its ref alone. `moved_meanwhile`: the base is no longer what it was.
 */
export async function moveBase(
  git: Git,
  repository: string,
  base: string,
  from: string,
  to: string,
): Promise<'moved' | 'moved_meanwhile' | Refusal> {
  const ref = `refs/heads/${base}`;
  const holder = await holderOf(git, repository, base);
  if (holder.kind === 'refused') return holder;
  const { folder } = holder;
  if ((await commitOf(git, repository, ref)) !== from) return 'moved_meanwhile';
  const answer =
    folder === null
      ? await moveRef(git, repository, ref, to, from, 'merge')
      : await git(folder, ['-c', 'merge.autoStash=false', 'merge', '-q', '--ff-only', to], { timeoutMs: CHECKOUT_MS });
  // What came after the move, as a hook that failed or hung, does not undo it.
  const now = await commitOf(git, repository, ref);
  if (now === to) return 'moved';
  if (now !== from) return 'moved_meanwhile';
  const why = await whyFailed(answer, `${base} was not moved`);
  const files = listedIn(answer.err);
  if (files.length === 0 || folder === null) return why;
  const what = `${folder} has files of yours that are not committed and that the merge would write over`;
  return refused('checkout_blocked', `${what}; commit, stash or move them, and merge again`, files);
}
