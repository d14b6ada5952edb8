import type { Git } from './git.ts';
import { type Refusal, refused } from './refusal.ts';

/** The minor versions of git 2 that introduced `merge-tree --write-tree` (2.38) and its `--stdin` (2.39). */
const MERGE_TREE_SINCE = 38;
const BATCHES_SINCE = 39;

/**
 * Returns how this git version can merge without a checkout: many pairs per process (`batch`), or one pair per process
 * (`single`).
 */
export async function mergeTreeMode(git: Git, directory: string): Promise<'batch' | 'single' | Refusal> {
  const { out } = await git(directory, ['version']);
  const [, major = '0', minor = '0'] = /version (\d+)\.(\d+)/.exec(out) ?? [];
  const number = Number(major) > 2 ? Infinity : Number(major) < 2 ? 0 : Number(minor);
  if (number >= BATCHES_SINCE) return 'batch';
  if (number >= MERGE_TREE_SINCE) return 'single';
  return refused(
    'git_too_old',
    `comparing sessions needs git 2.${MERGE_TREE_SINCE} or later, but this is ${out.trim() || 'an unknown version'}. Install a newer git`,
  );
}
