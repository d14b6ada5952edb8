import { rmSync } from 'node:fs';
import path from 'node:path';
import type { GitFolder } from './git-folder.ts';

/** The real merge, in a checkout: true when it is clean, and then HEAD is it. Git itself may tell of a conflict, and commit it. */
export function merges({ at, git }: GitFolder, ours: string, theirs: string): boolean {
  git('reset', '-q', '--hard');
  git('clean', '-qfdx');
  git('checkout', '-qf', '--detach', ours);
  try {
    return !/^CONFLICT /m.test(git('merge', '--no-edit', theirs));
  } catch {
    // Git 2.39 breaks down over some conflicts of renames, and leaves its lock.
    rmSync(path.join(at, '.git/index.lock'), { force: true });
    git('reset', '-q', '--hard');
    return false;
  }
}
