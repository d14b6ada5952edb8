import { newId } from '../../clock/identity.ts';
import type { Git } from './git.ts';

const LONGEST_FILE = 1_000_000;
const ALL_FILES = 30_000_000;

/** Returns the names that refer to blobs within the size limits, for one file and for all together. */
async function readable(git: Git, directory: string, names: readonly string[]): Promise<readonly string[]> {
  const input = names.join('\0');
  const answer = await git(directory, ['cat-file', '-z', '--batch-check=%(objecttype) %(objectsize)'], { input });
  const lines = answer.out.split('\n');
  let total = 0;
  return names.filter((_, index) => {
    const [, digits] = /^blob (\d+)$/.exec(lines[index] ?? '') ?? [];
    const size = Number(digits ?? Infinity);
    if (size > LONGEST_FILE || total + size > ALL_FILES) return false;
    total += size;
    return true;
  });
}

/**
 * Returns the texts of blobs by their names (`<tree>:<path>`, or a hash). Names that are not blobs or exceed the size
 * limits are missing from the map. Only two git processes are needed for all names.
 */
export async function readBlobs(
  git: Git,
  directory: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = names.length === 0 ? [] : await readable(git, directory, names);
  if (found.length === 0) return new Map();
  // Decoding text that is not UTF-8 changes its length, so the sizes that git prints can't be used to separate the
  // texts. A random word separates them instead.
  const word = `robosmith-${newId(16)}`;
  const answer = await git(directory, ['cat-file', '-z', `--batch=${word}`], { input: found.join('\0') });
  const texts = answer.out.split(`${word}\n`).slice(1);
  return new Map(texts.map((text, index) => [found[index] ?? '', text.replace(/\n$/, '')]));
}
