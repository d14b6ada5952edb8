import type { Git } from '../plumbing/git.ts';
import { commitOf } from '../plumbing/quiet-git.ts';
import { type Refusal, refused } from '../plumbing/refusal.ts';
import { withMarkers } from './unresolved-conflicts.ts';
import { concludeUpdate, type BaseUpdate } from './update-from-base.ts';

interface Resolved {
  /** The full hash of the base's commit that was merged in. */
  readonly base: string;
  /** All files that were in conflict in the update. */
  readonly files: readonly string[];
}

/**
 * Refuses if a file still has conflict markers. A program that resolves conflicts may have staged or committed files
 * without checking them.
 */
async function whyMarked(worktree: string, files: readonly string[]): Promise<Refusal | null> {
  const marked = await withMarkers(worktree, files);
  if (marked.length === 0) return null;
  const listed = marked.map((file) => `${file}: it still has conflict markers`).join('\n');
  return refused(
    'conflict',
    `resolve these conflicts, or run \`git commit\` if the files are correct as they are:\n${listed}`,
    marked,
  );
}

/**
 * Commits an update whose conflicts a program had to resolve. Refuses while a file still has conflict markers, even if
 * it was staged with them.
 */
export async function concludeResolved(git: Git, worktree: string, { base, files }: Resolved): Promise<BaseUpdate> {
  if ((await commitOf(git, worktree, 'MERGE_HEAD')) !== null)
    return (await whyMarked(worktree, files)) ?? concludeUpdate(git, worktree);
  const commit = await commitOf(git, worktree, 'HEAD');
  const has = await git(worktree, ['merge-base', '--is-ancestor', base, 'HEAD']);
  if (commit === null || !has.ok) return refused('missing', 'the update was aborted in its worktree; start it again');
  return (await whyMarked(worktree, files)) ?? { kind: 'updated', commit };
}
