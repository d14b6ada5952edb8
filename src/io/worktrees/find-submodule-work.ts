import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { WorkFound } from '#protocol/worktree.ts';
import type { Git } from '../git/git.ts';
import { foundWork } from './find-files.ts';
import { submodulesOf } from './submodules.ts';

/** A submodule's commits live below the worktree's own git folder, and go with it. */
export async function findSubmoduleWork(git: Git, worktree: string): Promise<readonly WorkFound[]> {
  const found: WorkFound[] = [];
  for (const name of await submodulesOf(git, worktree, 'HEAD')) {
    const place = path.join(worktree, name);
    if ((await stat(path.join(place, '.git')).catch(() => null)) === null) continue;
    const own = await git(place, ['rev-list', '--max-count=20', 'HEAD', '--branches', '--not', '--remotes', '--tags']);
    const commits = own.out.split('\n').filter((line) => line !== '');
    if (!own.ok || commits.length > 0)
      found.push(foundWork('submodule', `The submodule ${name} has commits that no remote has: push them`, commits));
  }
  return found;
}
