import { RoboSmithError } from '#protocol/error.ts';
import type { WorktreeRefusal } from '#protocol/worktree.ts';
import { checkRelativePath } from '../../files/path-rules.ts';
import { refused } from './git-refusal.ts';

/**
 * Returns null if each folder of a sparse checkout is a relative path below the top, else a refusal. A name that begins
 * with `-` is refused, since git would parse it as an option.
 */
export function checkSparse(folders: readonly string[]): WorktreeRefusal<'bad_sparse'> | null {
  for (const folder of folders) {
    if (folder.startsWith('-'))
      return refused('bad_sparse', `"sparse" names "${folder}", but a folder name must not begin with "-"`);
    try {
      checkRelativePath(folder);
    } catch (thrown) {
      if (RoboSmithError.is(thrown, 'unsafe_path')) return refused('bad_sparse', `"sparse": ${thrown.message}`);
      throw thrown;
    }
  }
  return null;
}
