import type { LeftOut } from '../git/all-files.ts';
import type { Git } from '../git/git.ts';
import { type Refusal, refused } from '../git/refusal.ts';
import { unsavedSubmodules } from '../git/unsaved-submodules.ts';

/** What a snapshot of a worktree does not save, and its removal would lose; null: nothing. */
export async function whyUnsafe(git: Git, worktree: string, leftOut: readonly LeftOut[]): Promise<Refusal | null> {
  if (leftOut.length > 0) {
    const files = leftOut.map((one) => one.path);
    return refused(
      'work_not_saved',
      'the worktree has what git cannot keep: a repository inside, or a file that is too large; move it away first',
      files,
    );
  }
  const submodules = await unsavedSubmodules(git, worktree);
  if ('kind' in submodules) return submodules;
  const files = submodules.map((one) => one.path);
  return files.length === 0
    ? null
    : refused(
        'work_not_saved',
        'a submodule has work that is on no remote; push it, or clean the submodule up first',
        files,
      );
}
