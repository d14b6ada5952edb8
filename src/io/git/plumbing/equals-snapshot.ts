import { allFiles } from './all-files.ts';
import type { Git } from './git.ts';
import { MAX_FILE_BYTES, readCommits, snapshotCommit } from './snapshot.ts';
import { withTemporaryIndex } from './temporary-index.ts';

/** Returns whether the files and the index of a worktree equal those of a snapshot; false if they can't be compared. */
export async function equalsSnapshot(git: Git, worktree: string, snapshot: string): Promise<boolean> {
  const same = await withTemporaryIndex(git, worktree, async (own) => {
    const [files, commits] = await Promise.all([
      allFiles(own, worktree, MAX_FILE_BYTES),
      readCommits(git, worktree, snapshot),
    ]);
    if (files.kind !== 'files' || commits.last === null) return false;
    return (await snapshotCommit(git, worktree, files, 'compared', commits)) === commits.last.commit;
  });
  return same === true;
}
