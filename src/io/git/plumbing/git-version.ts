import type { Git } from './git.ts';
import { type Refusal, refused } from './refusal.ts';

/** `merge-tree --write-tree` came with 2.38, its `--stdin` with 2.39. */
const MERGE_TREE_SINCE = 38;
const BATCHES_SINCE = 39;

/** How this git can merge without a checkout: many pairs in one process, or one. */
export async function mergeTreeMode(git: Git, directory: string): Promise<'batch' | 'single' | Refusal> {
  const { out } = await git(directory, ['version']);
  const [, major = '0', minor = '0'] = /version (\d+)\.(\d+)/.exec(out) ?? [];
  const number = Number(major) > 2 ? Infinity : Number(major) < 2 ? 0 : Number(minor);
  if (number >= BATCHES_SINCE) return 'batch';
  if (number >= MERGE_TREE_SINCE) return 'single';
  return refused(
    'git_too_old',
    `work is compared without a checkout only by git 2.${MERGE_TREE_SINCE} or later; here is ${out.trim() || 'an unknown git'}: install a newer git`,
  );
}
