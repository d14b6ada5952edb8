import { newId } from '../../clock/identity.ts';
import type { Git } from './git.ts';

const LONGEST_FILE = 1_000_000;
const ALL_FILES = 30_000_000;

/** Which of these are ordinary files, and not too long one by one and together. */
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

/** Texts of blobs by their names (`<tree>:<path>`, or a hash); those that are no files or too long are left out. Two processes for all. */
export async function readBlobs(
  git: Git,
  directory: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = names.length === 0 ? [] : await readable(git, directory, names);
  if (found.length === 0) return new Map();
  // Text that is no UTF-8 changes its length on the way here: a word that no file has parts them.
  const word = `robosmith-${newId(16)}`;
  const answer = await git(directory, ['cat-file', '-z', `--batch=${word}`], { input: found.join('\0') });
  const texts = answer.out.split(`${word}\n`).slice(1);
  return new Map(texts.map((text, index) => [found[index] ?? '', text.replace(/\n$/, '')]));
}
