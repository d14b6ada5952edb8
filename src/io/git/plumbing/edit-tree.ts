import type { Git } from './git.ts';
import { lineOf } from './quiet-git.ts';
import { type Refusal, whyFailed } from './refusal.ts';
import { withTemporaryIndex } from './temporary-index.ts';

/** Returns the blob of a file in a commit; null if the commit doesn't have the file. */
export async function blobAt(git: Git, repository: string, commit: string, file: string): Promise<string | null> {
  const found = await git(repository, ['rev-parse', '--quiet', '--verify', `${commit}:${file}`]);
  return found.ok ? lineOf(found) : null;
}

/** Writes the tree of a commit with another blob at a path, or without that path if `blob` is null. */
export const editTree = (
  git: Git,
  repository: string,
  commit: string,
  file: string,
  blob: string | null,
): Promise<string | Refusal> =>
  withTemporaryIndex(
    git,
    repository,
    async (own): Promise<string | Refusal> => {
      const edit =
        blob === null
          ? ['update-index', '--force-remove', '--', file]
          : ['update-index', '--add', '--cacheinfo', `100644,${blob},${file}`];
      for (const args of [['read-tree', commit], edit]) {
        const done = await own(args);
        if (!done.ok) return whyFailed(done, `can't change ${file} in the commit`);
      }
      const written = await own(['write-tree']);
      return written.ok ? lineOf(written) : whyFailed(written, `can't change ${file} in the commit`);
    },
    'as it is',
  );
