import { allFiles } from './all-files.ts';
import type { Git } from './git.ts';
import { MAX_FILE_BYTES, snapshotCommit } from './snapshot.ts';
import { withTemporaryIndex } from './temporary-index.ts';

/** Returns whether the files and the index of a worktree equal those of a snapshot; false if they can't be compared. */
export async function equalsSnapshot(git: Git, worktree: string, snapshot: string): Promise<boolean> {
  const same = await withTemporaryIndex(git, worktree, async (own) => {
    const files = await allFiles(own, worktree, MAX_FILE_BYTES);
    return files.kind === 'files' && (await snapshotCommit(git, worktree, files, 'compared', snapshot)) === snapshot;
  });
  return same === true;
}
