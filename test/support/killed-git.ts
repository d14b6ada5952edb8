import type { Git } from '#io/git/plumbing/git.ts';
import { realGit } from './git-folder.ts';

/** Whoever uses it is killed before it can call git once more than this. */
export function killedAfter(calls: number): Git {
  let made = 0;
  return (...call) => {
    made += 1;
    return made > calls ? Promise.reject(new Error('killed')) : realGit(...call);
  };
}
