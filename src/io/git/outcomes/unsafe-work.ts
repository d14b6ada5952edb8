import type { LeftOut } from '../plumbing/all-files.ts';
import type { Git } from '../plumbing/git.ts';
import { type Refusal, refused } from '../plumbing/refusal.ts';
import { submodulesLeftBy, type UnsavedSubmodule, unsavedSubmodules } from '../plumbing/unsaved-submodules.ts';
import { ignoredInSubmodules } from '../worktrees/ignored-work.ts';
import { listWorktrees, mainCheckout } from '../worktrees/list-worktrees.ts';

function whyUnsaved(submodules: readonly UnsavedSubmodule[]): Refusal | null {
  const isOther = ({ isChanged, commits, ignored }: UnsavedSubmodule): boolean =>
    isChanged || commits?.length !== 0 || ignored === null;
  const others = submodules.filter(isOther);
  if (others.length > 0)
    return refused(
      'work_not_saved',
      'a submodule has work that is not on a remote. Push it, or clean up the submodule first',
      others.map(({ path }) => path),
    );
  return submodules.length === 0
    ? null
    : refused(
        'work_not_saved',
        "a submodule has ignored files, which can't be saved. Copy them elsewhere or delete them first",
        submodules.flatMap((one) => one.ignored ?? []),
      );
}

/**
 * Returns a refusal if the worktree has work that no snapshot saves and that would be lost if the worktree were
 * removed; else null. `ignored` has globs in the syntax of `IgnoredQuestion`.
 */
export async function whyUnsafe(
  git: Git,
  worktree: string,
  leftOut: readonly LeftOut[],
  ignored: readonly string[],
): Promise<Refusal | null> {
  if (leftOut.length > 0) {
    const files = leftOut.map((one) => one.path);
    return refused(
      'work_not_saved',
      "the worktree contains another repository or a file that is too large, which can't be saved. Move it away first",
      files,
    );
  }
  const listed = await listWorktrees(git, worktree);
  if (listed.kind === 'refused') return refused('git_failed', listed.message);
  const question = { ignored, main: mainCheckout(listed.worktrees) };
  const submodules = await unsavedSubmodules(git, worktree, ignoredInSubmodules(git, question));
  return 'kind' in submodules ? submodules : whyUnsaved(submodules);
}

/**
 * Refuses if a worktree whose folder is gone has unsaved work in its submodules: git still has the submodules'
 * repositories, and deletes them with the worktree's entry. Returns null if there is no such work.
 */
export async function whyLeftUnsafe(git: Git, repository: string, worktree: string): Promise<Refusal | null> {
  const left = await submodulesLeftBy(git, repository, worktree);
  if ('kind' in left) return left;
  if (left.length === 0) return null;
  const what = `the folder ${worktree} is missing, and its submodules have work that is not on a remote and would be lost`;
  return refused(
    'work_not_saved',
    `${what}. Push it with \`git --git-dir=<folder> --work-tree=<folder> push\`, or delete these folders, and discard again`,
    left.map(({ path }) => path),
  );
}
