import type { Git } from './git.ts';
import { zeroSplit } from './quiet-git.ts';
import { type Refusal, whyFailed } from './refusal.ts';

const MARKER = '^(<{7,}|>{7,}) ';

async function otherMarkers(git: Git, directory: string, from: string, to: string) {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', `-G${MARKER}`, from, to];
  const listed = await git(directory, args);
  return listed.ok ? zeroSplit(listed.out) : whyFailed(listed, 'what was merged was not looked at');
}

/**
 * Files into which a merge that git calls clean has written markers of a conflict. Git forgets the conflict of a renamed file when the
 * other side has made an empty one of the new name (seen in 2.39: a module that one moves to the `__init__.py` which the other adds).
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

/** For the words of a refusal. */
export const WITH_MARKERS = 'git merges these files without a conflict, but writes the markers of one into them';
