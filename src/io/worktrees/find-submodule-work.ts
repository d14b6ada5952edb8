import type { WorkFound } from '#protocol/worktree.ts';
import type { Git } from '../git/git.ts';
import { submodulesLeftBy, type UnsavedSubmodule, unsavedSubmodules } from '../git/unsaved-submodules.ts';
import { foundWork } from './find-files.ts';

function workOf({ path, commits }: UnsavedSubmodule): WorkFound {
  if (commits === null) return foundWork('submodule', `Git can't say what the submodule ${path} has`, []);
  if (commits.length === 0)
    return foundWork('submodule', `The submodule ${path} has changes: commit and push them`, []);
  const message = `The submodule ${path} has commits, tags or stashes that no remote has: push them`;
  return foundWork('submodule', message, commits);
}

/** A submodule's commits live below the worktree's own git folder, and go with it. */
export async function findSubmoduleWork(git: Git, worktree: string): Promise<readonly WorkFound[]> {
  const found = await unsavedSubmodules(git, worktree);
  return 'kind' in found ? [foundWork('unreadable', found.message, [])] : found.map(workOf);
}

/** The same of a worktree whose folder is gone, and which git still knows. */
export async function findLeftSubmoduleWork(
  git: Git,
  repository: string,
  worktree: string,
): Promise<readonly WorkFound[]> {
  const found = await submodulesLeftBy(git, repository, worktree);
  return 'kind' in found ? [foundWork('unreadable', found.message, [])] : found.map(workOf);
}
