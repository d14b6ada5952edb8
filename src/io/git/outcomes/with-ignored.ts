import { type AllFiles, leftOutOf, writeTree } from '../plumbing/all-files.ts';
import type { Git } from '../plumbing/git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';
import { MAX_FILE_BYTES } from '../plumbing/snapshot.ts';
import type { IndexGit } from '../plumbing/temporary-index.ts';
import { ignoredWork } from '../worktrees/ignored-work.ts';
import { listWorktrees, mainCheckout } from '../worktrees/list-worktrees.ts';

/**
 * Adds the ignored files that are to be kept (globs in the syntax of `IgnoredQuestion`) to the files of a worktree in
 * its temporary index.
 */
export async function withIgnored(
  git: IndexGit,
  worktree: string,
  files: AllFiles,
  ignored: readonly string[],
): Promise<AllFiles | Refusal> {
  if (ignored.length === 0) return files;
  const plain: Git = (_, args, options) => git(args, options);
  const listed = await listWorktrees(plain, worktree);
  if (listed.kind === 'refused') return refused('git_failed', listed.message);
  const names = await ignoredWork(plain, worktree, { ignored, main: mainCheckout(listed.worktrees) });
  if (names === null) return refused('git_failed', "can't list the ignored files; nothing was removed");
  if (names.length === 0) return files;
  const tooLarge = await leftOutOf(worktree, names, MAX_FILE_BYTES);
  const leftOut = [...files.leftOut, ...tooLarge];
  const added = await git(['add', '--force', '--sparse', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    input: names
      .filter((name) => !tooLarge.some((one) => one.path === name))
      .map((name) => `${name}\0`)
      .join(''),
  });
  if (!added.ok) return whyFailed(added, "can't save the ignored files");
  const tree = await writeTree(git);
  return typeof tree === 'string' ? { ...files, tree, leftOut } : tree;
}
