import type { Git } from './git.ts';
import { commitOf } from './quiet-git.ts';

/** Returns a function that looks up the commit of a branch, once for each branch; null if there is no such branch. */
export function tipsOf(git: Git, directory: string): (branch: string) => Promise<string | null> {
  const tips = new Map<string, Promise<string | null>>();
  return (branch) => {
    const known = tips.get(branch) ?? commitOf(git, directory, `refs/heads/${branch}`).catch(() => null);
    tips.set(branch, known);
    return known;
  };
}
