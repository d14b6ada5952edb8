import path from 'node:path';
import { realPath } from '../../files/real-path.ts';
import { isInside } from '../../files/safe-path.ts';
import type { Git } from './git.ts';
import { lineOf } from './quiet-git.ts';

/**
 * Returns the folder from which git starts hooks, relative to `root` and with `/`, if the setting `core.hooksPath` names
 * a folder below `root`; else null. Such a folder often belongs to the project's files, under any name, and its files
 * decide what the next commit executes.
 */
export async function hooksFolder(git: Git, root: string): Promise<string | null> {
  const ask = (...args: readonly string[]) => git(root, args).catch(() => null);
  const setting = await ask('config', '--type=path', '--get', 'core.hooksPath');
  if (setting?.ok !== true) return null;
  const top = await ask('rev-parse', '--show-toplevel');
  const here = await realPath(root);
  // Git starts a hook at the top of the worktree, and so resolves a relative folder from there.
  const folder = await realPath(path.resolve(top?.ok === true ? lineOf(top) : root, lineOf(setting)));
  if (folder === here || !isInside(here, folder)) return null;
  return path.relative(here, folder).split(path.sep).join('/');
}
