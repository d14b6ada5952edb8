import type { Git } from '#io/git/plumbing/git.ts';
import { realGit } from './git-folder.ts';

/** Returns a wrapper of git that fails after this many calls, as if its caller had been killed. */
export function killedAfter(calls: number): Git {
  let made = 0;
  return (...call) => {
    made += 1;
    return made > calls ? Promise.reject(new Error('killed')) : realGit(...call);
  };
}
