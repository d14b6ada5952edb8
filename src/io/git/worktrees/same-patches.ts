import { GIT_OUTPUT_LIMIT } from '#protocol/git.ts';
import type { Git } from '../plumbing/git.ts';

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The character that replaces bytes that are not UTF-8. Patches that contain it can't be compared, since different
 * bytes look the same.
 */
const UNKNOWN = '\uFFFD';

const DIFF = [
  ...['diff-tree', '--stdin', '--root', '-r', '-p', '--binary', '--full-index', '--no-renames'],
  ...['--no-ext-diff', '--no-textconv', '--no-color', '--submodule=short', '--diff-algorithm=myers'],
];

/**
 * Returns whether a line of a diff depends on the commit that the patch is applied to, because it has line numbers or
 * hashes of whole files.
 */
const isOfPlace = (line: string): boolean => line.startsWith('index ') || line.startsWith('@@ ');

/** Returns the patch of each commit. Null if git fails, or if the output is too long or not UTF-8. */
async function patchesOf(git: Git, repository: string, commits: readonly string[]) {
  const answer = await git(repository, DIFF, { input: commits.map((commit) => `${commit}\n`).join('') });
  if (!answer.ok || answer.out.length >= GIT_OUTPUT_LIMIT || answer.out.includes(UNKNOWN)) return null;
  const patches = new Map<string, string[]>();
  let patch: string[] = [];
  for (const line of answer.out.replace(/\n$/, '').split('\n')) {
    if (HASH.test(line)) patches.set(line, (patch = []));
    else patch.push(isOfPlace(line) ? '@@' : line);
  }
  return new Map([...patches].map(([commit, text]) => [commit, text.join('\n')]));
}

/** Returns whether each commit in `these` has the same patch, including white space, as a commit in `those`. */
export async function areAmong(
  git: Git,
  repository: string,
  these: readonly string[],
  those: readonly string[],
): Promise<boolean> {
  const patches = await patchesOf(git, repository, [...these, ...those]);
  if (patches === null) return false;
  const known = new Set(those.map((commit) => patches.get(commit)));
  return these.every((commit) => patches.has(commit) && known.has(patches.get(commit)));
}
