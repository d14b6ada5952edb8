import path from 'node:path';
import type { Git } from '../plumbing/git.ts';

export interface WorktreeFolders {
  /** Its own git folder: `HEAD`, `index`. */
  readonly own: string;
  /** That of all worktrees. */
  readonly common: string;
  /** Its top folder, as git names it. */
  readonly top: string;
}

const ASKED = ['--git-dir', '--git-common-dir', '--show-toplevel'];

/** Null: git takes it for no worktree. */
export async function worktreeFolders(git: Git, worktree: string): Promise<WorktreeFolders | null> {
  const all = await git(worktree, ['rev-parse', '--path-format=absolute', ...ASKED]);
  if (!all.ok) return null;
  const lines = all.out.split(/\r?\n/);
  const ask = async (what: string): Promise<string> =>
    (await git(worktree, ['rev-parse', '--path-format=absolute', what])).out.replace(/\r?\n$/, '');
  // A path may have newlines: then each is asked for alone.
  const apart = lines.length === ASKED.length + 1 ? lines : await Promise.all(ASKED.map(ask));
  const [own = '', common = '', top = ''] = apart.map((line) => (line === '' ? '' : path.normalize(line)));
  return own === '' || common === '' || top === '' ? null : { own, common, top };
}
