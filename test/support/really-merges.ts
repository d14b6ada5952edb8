import type { GitFolder } from './git-folder.ts';

/** The real merge, in a checkout: true when it is clean, and then HEAD is it. Git itself may tell of a conflict, and commit it. */
export function merges({ git }: GitFolder, ours: string, theirs: string): boolean {
  git('reset', '-q', '--hard');
  git('clean', '-qfdx');
  git('checkout', '-qf', '--detach', ours);
  try {
    return !/^CONFLICT /m.test(git('merge', '--no-edit', theirs));
  } catch {
    git('reset', '-q', '--hard');
    return false;
  }
}
