import { rmSync } from 'node:fs';
import path from 'node:path';
import type { GitFolder } from './git-folder.ts';

/**
 * Merges two commits in a checkout and returns whether the merge is clean; HEAD is then the merge. Git may report a
 * conflict and still commit it.
 */
export function merges({ at, git }: GitFolder, ours: string, theirs: string): boolean {
  git('reset', '-q', '--hard');
  git('clean', '-qfdx');
  git('checkout', '-qf', '--detach', ours);
  try {
    return !/^CONFLICT /m.test(git('merge', '--no-edit', theirs));
  } catch {
    // Git 2.39 crashes at some conflicts of renames and leaves its lock.
    rmSync(path.join(at, '.git/index.lock'), { force: true });
    git('reset', '-q', '--hard');
    return false;
  }
}
