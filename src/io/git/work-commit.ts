import { allFiles } from './all-files.ts';
import { dirtyFiles } from './changed-files.ts';
import type { Git } from './git.ts';
import { commitOf } from './quiet-git.ts';
import { type Refusal, refused } from './refusal.ts';
import { MAX_FILE_BYTES, snapshotCommit } from './snapshot.ts';
import { withTemporaryIndex } from './temporary-index.ts';

export type WorkCommit = { readonly kind: 'commit'; readonly commit: string } | Refusal;

/** A commit with all that a worktree has now: its HEAD when nothing is uncommitted, else one that no ref names, and that git forgets by itself. */
export async function workCommit(git: Git, worktree: string): Promise<WorkCommit> {
  const dirty = await dirtyFiles(git, worktree);
  if (dirty.kind === 'refused') return dirty;
  if (dirty.files.length === 0) {
    const commit = await commitOf(git, worktree, 'HEAD');
    return commit === null ? refused('missing', `${worktree} has no commit`) : { kind: 'commit', commit };
  }
  return withTemporaryIndex(git, worktree, async (own): Promise<WorkCommit> => {
    const files = await allFiles(own, worktree, MAX_FILE_BYTES);
    if (files.kind === 'refused') return files;
    const commit = await snapshotCommit(git, worktree, files, 'work under way', null);
    return typeof commit === 'string' ? { kind: 'commit', commit } : commit;
  });
}
