import type { Git } from './git.ts';
import { readBlobs } from './read-blobs.ts';

export interface ConflictHunk {
  readonly file: string;
  /** First line of it in the file with markers, from 1. */
  readonly line: number;
  /** With its markers; cut where it is long. */
  readonly text: string;
}

/** A person reads these; past it the list of files must do. */
const MOST_FILES = 20;
const MOST_HUNKS = 50;
const LONGEST_HUNK = 4_000;

/** From `<<<<<<<` to `>>>>>>>`; markers are longer where a text has such lines itself. */
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

/** A merge's result tree, and its files that are in conflict. */
export interface ConflictTree {
  readonly tree: string;
  readonly files: readonly string[];
}

/** The conflicting text of merges, bounded, in their order; two processes for all of them. */
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
