import { rmSync } from 'node:fs';
import path from 'node:path';
import type { GitFolder } from './git-folder.ts';

/**
 * Merges two commits in a checkout and returns whether the merge is clean; if so, HEAD is the merge commit. Git may
 * report a conflict and still create the commit.
 */
export function merges({ at, git }: GitFolder, ours: string, theirs: string): boolean {
  git('reset', '-q', '--hard');
  git('clean', '-qfdx');
  git('checkout', '-qf', '--detach', ours);
  try {
    return !/^CONFLICT /m.test(git('merge', '--no-edit', theirs));
  } catch {
    // Git 2.39 crashes on some conflicts of renames and leaves its lock file.
    rmSync(path.join(at, '.git/index.lock'), { force: true });
    git('reset', '-q', '--hard');
    return false;
  }
}
