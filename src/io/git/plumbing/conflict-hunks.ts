import type { Git } from './git.ts';
import { readBlobs } from './read-blobs.ts';

export interface ConflictHunk {
  readonly file: string;
  /** The number of the hunk's first line in the file with conflict markers, from 1. */
  readonly line: number;
  /** The text of the hunk including its conflict markers; truncated if it is long. */
  readonly text: string;
}

/**
 * Limits on the conflicts that are shown to a person: files, hunks, and characters of one hunk. Beyond them, only the
 * list of files is shown.
 */
const MOST_FILES = 20;
const MOST_HUNKS = 50;
const LONGEST_HUNK = 4_000;

/**
 * Returns the conflict hunks of a text, from `<<<<<<<` to `>>>>>>>`. Git writes longer markers if the text itself
 * contains such lines.
 */
export function hunksIn(file: string, text: string): readonly ConflictHunk[] {
  const hunks: ConflictHunk[] = [];
  const lines = text.split('\n');
  let start = -1;
  for (const [index, line] of lines.entries()) {
    if (/^<{7,}(?: |\r?$)/.test(line)) start = index;
    if (start < 0 || !/^>{7,}(?: |\r?$)/.test(line)) continue;
    const whole = lines.slice(start, index + 1).join('\n');
    hunks.push({ file, line: start + 1, text: whole.slice(0, LONGEST_HUNK) });
    start = -1;
  }
  return hunks;
}

/** The result tree of a merge, and its files that are in conflict. */
interface ConflictTree {
  readonly tree: string;
  readonly files: readonly string[];
}

/**
 * Returns the conflict hunks of each merge, limited in number and length. Only two git processes are needed for all
 * merges.
 */
export async function conflictHunks(
  git: Git,
  directory: string,
  merges: readonly ConflictTree[],
): Promise<readonly (readonly ConflictHunk[])[]> {
  const nameOf = (tree: string, file: string): string => `${tree}:${file}`;
  const shown = merges.map(({ tree, files }) => ({ tree, files: files.slice(0, MOST_FILES) }));
  const names = new Set(shown.flatMap(({ tree, files }) => files.map((file) => nameOf(tree, file))));
  const texts = await readBlobs(git, directory, [...names]);
  return shown.map(({ tree, files }) =>
    files.flatMap((file) => hunksIn(file, texts.get(nameOf(tree, file)) ?? '')).slice(0, MOST_HUNKS),
  );
}
