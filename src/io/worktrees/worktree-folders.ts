import path from 'node:path';
import type { Git } from '../git/git.ts';

export interface WorktreeFolders {
  /** Its own git folder: `HEAD`, `index`. */
  readonly own: string;
  /** That of all worktrees. */
  readonly common: string;
  /** Its top folder, as git names it. */
  readonly top: string;
}

/** Null: git takes it for no worktree. */
export async function worktreeFolders(git: Git, worktree: string): Promise<WorktreeFolders | null> {
  const ask = async (what: string): Promise<string> => {
    const answer = await git(worktree, ['rev-parse', '--path-format=absolute', what]);
    return answer.ok ? path.normalize(answer.out.replace(/\r?\n$/, '')) : '';
  };
  const [own, common, top] = [await ask('--git-dir'), await ask('--git-common-dir'), await ask('--show-toplevel')];
  return own === '' || common === '' || top === '' ? null : { own, common, top };
}
