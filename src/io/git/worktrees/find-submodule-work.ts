import type { WorkFound } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { submodulesLeftBy, type UnsavedSubmodule, unsavedSubmodules } from '../plumbing/unsaved-submodules.ts';
import { foundWork } from './find-files.ts';
import { ignoredInSubmodules, type IgnoredQuestion } from './ignored-work.ts';

function workOf({ path, isChanged, commits, ignored }: UnsavedSubmodule): readonly WorkFound[] {
  if (commits === null || ignored === null)
    return [foundWork('submodule', `Git can't list the content of the submodule ${path}`, [])];
  const found: WorkFound[] = [];
  const unpushed = `The submodule ${path} has commits, tags or stashes that are on no remote: push them`;
  if (commits.length > 0) found.push(foundWork('submodule', unpushed, commits));
  else if (isChanged) found.push(foundWork('submodule', `The submodule ${path} has changes: commit and push them`, []));
  const names = `${ignored.slice(0, 5).join(', ')}${ignored.length > 5 ? ', …' : ''}`;
  const kept = `The submodule ${path} has ignored files that are missing or different in the main checkout: ${names}`;
  return ignored.length === 0 ? found : [...found, foundWork('ignored', kept, ignored)];
}

/**
 * Finds unsaved work in the submodules of a worktree. Their commits are stored in the worktree's own git folder and are
 * deleted with it.
 */
export async function findSubmoduleWork(
  git: Git,
  worktree: string,
  question: IgnoredQuestion,
): Promise<readonly WorkFound[]> {
  const found = await unsavedSubmodules(git, worktree, ignoredInSubmodules(git, question));
  return 'kind' in found ? [foundWork('unreadable', found.message, [])] : found.flatMap(workOf);
}

/** Finds unsaved work in the submodules of a worktree whose folder is gone but which git still has registered. */
export async function findLeftSubmoduleWork(
  git: Git,
  repository: string,
  worktree: string,
): Promise<readonly WorkFound[]> {
  const found = await submodulesLeftBy(git, repository, worktree);
  return 'kind' in found ? [foundWork('unreadable', found.message, [])] : found.flatMap(workOf);
}
