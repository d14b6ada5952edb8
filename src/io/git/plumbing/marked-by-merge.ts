import type { Git } from './git.ts';
import { zeroSplit } from './quiet-git.ts';
import { type Refusal, whyFailed } from './refusal.ts';

const MARKER = '^(<{7,}|>{7,}) ';

async function otherMarkers(git: Git, directory: string, from: string, to: string) {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', `-G${MARKER}`, from, to];
  const listed = await git(directory, args);
  return listed.ok ? zeroSplit(listed.out) : whyFailed(listed, "can't check the merged files for conflict markers");
}

/**
 * Returns the files into which a merge without reported conflicts has written conflict markers. Git loses the conflict
 * of a renamed file if the other side added an empty file under the new name. Seen in git 2.39: one side moves a module
 * to `__init__.py`, and the other adds that file.
 */
export async function markedByMerge(
  git: Git,
  directory: string,
  sides: { readonly ours: string; readonly theirs: string },
  made: string,
): Promise<readonly string[] | Refusal> {
  const marked = await otherMarkers(git, directory, sides.ours, made);
  if ('kind' in marked || marked.length === 0) return marked;
  const against = await otherMarkers(git, directory, sides.theirs, made);
  return 'kind' in against ? against : marked.filter((file) => against.includes(file));
}

/** The beginning of the message when a clean merge has written conflict markers. */
export const WITH_MARKERS =
  'git merges these files without reporting a conflict, but writes conflict markers into them';
