import path from 'node:path';
import type { Git } from '../plumbing/git.ts';

export interface WorktreeFolders {
  /** The worktree's own git folder, with `HEAD` and `index`. */
  readonly own: string;
  /** The git folder that all worktrees share. */
  readonly common: string;
  /** The top folder of the worktree, as git names it. */
  readonly top: string;
}

const ASKED = ['--git-dir', '--git-common-dir', '--show-toplevel'];

/** Returns the folders of a worktree; null if git doesn't recognise it as one. */
export async function worktreeFolders(git: Git, worktree: string): Promise<WorktreeFolders | null> {
  const all = await git(worktree, ['rev-parse', '--path-format=absolute', ...ASKED]);
  if (!all.ok) return null;
  const lines = all.out.split(/\r?\n/);
  const ask = async (what: string): Promise<string> =>
    (await git(worktree, ['rev-parse', '--path-format=absolute', what])).out.replace(/\r?\n$/, '');
  // If a path contains newlines, the lines can't be assigned to the values, so each value is queried separately.
  const apart = lines.length === ASKED.length + 1 ? lines : await Promise.all(ASKED.map(ask));
  const [own = '', common = '', top = ''] = apart.map((line) => (line === '' ? '' : path.normalize(line)));
  return own === '' || common === '' || top === '' ? null : { own, common, top };
}
