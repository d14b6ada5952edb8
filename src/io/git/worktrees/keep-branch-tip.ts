import { DISCARDED } from '../plumbing/kept-refs.ts';
import type { Git } from '../plumbing/git.ts';
import { moveRef } from '../plumbing/quiet-git.ts';
import { makeCommit } from '../plumbing/snapshot.ts';
import type { BranchWork } from './find-commits.ts';
import { lastLines } from './git-refusal.ts';
import { branchCommit, commitOf } from './resolve-base.ts';

type TipKept =
  /** `ref` is null if the base contains the commits of the branch unchanged, so that no ref is needed. */
  { readonly ok: true; readonly ref: string | null } | { readonly ok: false; readonly why: string };

async function hasBase(git: Git, { repository, base }: BranchWork, tip: string): Promise<boolean> {
  const onto = (await branchCommit(git, repository, base)) ?? (await commitOf(git, repository, base));
  return onto !== null && (await git(repository, ['merge-base', '--is-ancestor', tip, onto])).ok;
}

/**
 * Keeps the commits of a branch that is about to be deleted under a recovery ref, as for a discarded session. Without
 * the ref, the commits would be lost if the base has their changes only in another form (squashed or rebased). The
 * ref's commit has the date of the deletion, and the tip as its parent.
 */
export async function keepTip(git: Git, what: BranchWork, tip: string): Promise<TipKept> {
  const { repository, branch } = what;
  if (await hasBase(git, what, tip)) return { ok: true, ref: null };
  const ref = `${DISCARDED}${branch.split('/').at(-1) ?? ''}-${tip.slice(0, 12)}`;
  const commit = await makeCommit(git, repository, `${tip}^{tree}`, [tip], `robosmith: discarded\n\n${branch}`);
  if (typeof commit !== 'string') return { ok: false, why: commit.message };
  const moved = await moveRef(git, repository, ref, commit, await commitOf(git, repository, ref), 'discarded');
  return moved.ok ? { ok: true, ref } : { ok: false, why: lastLines(moved) };
}
