import type { Git } from '../plumbing/git.ts';
import { commitOf } from '../plumbing/quiet-git.ts';
import { type Refusal, refused } from '../plumbing/refusal.ts';
import { withMarkers } from './still-in-conflict.ts';
import { concludeUpdate, type Updated } from './update-from-base.ts';

export interface Resolved {
  /** What was merged in: a full hash. */
  readonly base: string;
  /** All files that were in conflict. */
  readonly files: readonly string[];
}

/** Whoever resolves by a program may have staged, or committed, what it has not looked at. */
async function whyMarked(worktree: string, files: readonly string[]): Promise<Refusal | null> {
  const marked = await withMarkers(worktree, files);
  if (marked.length === 0) return null;
  const told = marked.map((file) => `${file}: it still has the markers of its conflict`).join('\n');
  return refused(
    'conflict',
    `resolve what is still in conflict, or git commit what is right as it is:\n${told}`,
    marked,
  );
}

/** Commits an update whose conflicts a program was to resolve; refused while a file of them has markers, also where that was staged. */
export async function concludeResolved(git: Git, worktree: string, { base, files }: Resolved): Promise<Updated> {
  if ((await commitOf(git, worktree, 'MERGE_HEAD')) !== null)
    return (await whyMarked(worktree, files)) ?? concludeUpdate(git, worktree);
  const commit = await commitOf(git, worktree, 'HEAD');
  const has = await git(worktree, ['merge-base', '--is-ancestor', base, 'HEAD']);
  if (commit === null || !has.ok)
    return refused('missing', 'the update was given up in its worktree: ask for it again');
  return (await whyMarked(worktree, files)) ?? { kind: 'updated', commit };
}
