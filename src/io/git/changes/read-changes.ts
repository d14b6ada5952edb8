import type { Git, GitAnswer } from '../plumbing/git.ts';
import { quietly, zeroSplit } from '../plumbing/quiet-git.ts';
import { type Refusal, whyFailed } from '../plumbing/refusal.ts';
import { STATE_FILE } from '../plumbing/state-file.ts';
import { type IndexGit, withTemporaryIndex } from '../plumbing/temporary-index.ts';
import { type CountedPath, parseCounts, parseNames } from './parse-changes.ts';

/** Two states to compare. */
export interface ChangeRange {
  /** Where git runs: the top of a worktree, or the main checkout. */
  readonly directory: string;
  /** The older state: a commit. */
  readonly since: string;
  /** The newer state: a commit, or null for the files of the directory, including untracked ones. */
  readonly head: string | null;
}

/** The changes of one range. */
export interface RangeChanges {
  readonly files: readonly CountedPath[];
  /** The unified diff as git prints it; null if it was not requested. */
  readonly patch: string | null;
}

interface ChangesWanted {
  /** Files and folders, relative to the top of the repository. An empty list means all files. */
  readonly paths: readonly string[];
  /** Files to leave out. */
  readonly except?: readonly string[];
  readonly patch: boolean;
}

/** Files above this size in bytes are treated as binary, so that neither git nor a terminal works on them for minutes. */
const LARGEST_TEXT = 4 * 1024 * 1024;

/** Options that make the diff independent of the settings of the user and the repository. */
const SETTINGS = [
  ...['-c', `core.bigFileThreshold=${LARGEST_TEXT}`, '-c', 'core.quotePath=true'],
  ...['-c', 'diff.noprefix=false', '-c', 'diff.mnemonicPrefix=false', '-c', 'diff.ignoreSubmodules=none'],
  ...['-c', 'diff.suppressBlankEmpty=false', '-c', 'diff.indentHeuristic=true'],
];
const FORM = [
  ...['--no-ext-diff', '--no-textconv', '--no-color', '--no-relative', '--find-renames', '--submodule=short'],
  ...['--diff-algorithm=myers', '--src-prefix=a/', '--dst-prefix=b/', '-O/dev/null'],
];
const PATCH = ['--patch', '--unified=3', '--inter-hunk-context=0', '--abbrev=10'];

const isWithin = (path: string, wanted: string): boolean => path === wanted || path.startsWith(`${wanted}/`);

const isWanted = ({ path, from }: CountedPath, wanted: readonly string[]): boolean =>
  wanted.length === 0 || wanted.some((one) => isWithin(path, one) || (from !== null && isWithin(from, one)));

/**
 * Turns off literal pathspecs for a command. Such a command marks each name with `:(literal)` instead, because it also
 * needs the pathspec magic `exclude`.
 */
const MARKED = { env: { GIT_LITERAL_PATHSPECS: '0' } };

const literal = (path: string): string => `:(top,literal)${path}`;

/** Lists the untracked files of a directory. A name that ends with `/` is a nested repository, which is left out. */
async function untracked(git: IndexGit): Promise<readonly string[]> {
  const listed = await git(['ls-files', '--others', '--exclude-standard', '--full-name', '-z', ':/'], MARKED);
  return zeroSplit(listed.out).filter((path) => !path.endsWith('/'));
}

/** Adds the names of untracked files to the temporary index, so that git compares them like all others. */
async function addNames(git: IndexGit): Promise<GitAnswer | null> {
  const names = await untracked(git);
  if (names.length === 0) return null;
  const input = names.map(literal).join('\0');
  const added = await git(['add', '--intent-to-add', '--sparse', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    ...MARKED,
    input,
  });
  return added.ok ? null : added;
}

/**
 * Returns the pathspecs of the diff: the requested paths and the old names of renamed files, or all files if no path
 * was requested. The state file and the files in `except` are left out.
 */
function specsOf(files: readonly CountedPath[], { paths, except = [] }: ChangesWanted): readonly string[] {
  const left = [STATE_FILE, ...except].map((path) => `:(top,exclude,literal)${path}`);
  if (paths.length === 0) return [':/', ...left];
  // The diff must include the old name of a renamed file, or git shows it as a new file.
  const renamed = files.flatMap(({ path, from }) => (from === null ? [] : [path, from]));
  return [...[...new Set([...paths, ...renamed])].map(literal), ...left];
}

async function compare(
  git: IndexGit,
  { since, head }: ChangeRange,
  wanted: ChangesWanted,
): Promise<RangeChanges | Refusal> {
  const range = head === null ? [since] : [since, head];
  const { except = [] } = wanted;
  const diff = (...more: readonly string[]): Promise<GitAnswer> => git([...SETTINGS, 'diff', ...FORM, ...more], MARKED);
  const names = await diff('--name-status', '-z', ...range, '--');
  if (!names.ok) return whyFailed(names, 'the changes could not be read');
  const counts = parseCounts((await diff('--numstat', '-z', ...range, '--')).out);
  const files = parseNames(names.out)
    .map((file) => ({ ...file, ...(counts.get(file.path) ?? UNCOUNTED) }))
    .filter(
      (file) => file.path !== STATE_FILE && except.every((path) => path !== file.path) && isWanted(file, wanted.paths),
    )
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  if (!wanted.patch || files.length === 0) return { files, patch: wanted.patch ? '' : null };
  const patch = await diff(...PATCH, ...range, '--', ...specsOf(files, wanted));
  return patch.ok ? { files, patch: patch.out } : whyFailed(patch, 'the changes could not be read');
}

const UNCOUNTED = { added: null, deleted: null };

/**
 * Reads the differences between two states, without changing the index, the files or any ref. Untracked files count as
 * added, ignored ones don't. A refusal contains git's error message.
 */
export async function readChanges(
  git: Git,
  range: ChangeRange,
  wanted: ChangesWanted,
): Promise<RangeChanges | Refusal> {
  const { directory, head } = range;
  if (head !== null) return compare((args, options) => quietly(git, directory, args, options), range, wanted);
  return withTemporaryIndex(git, directory, async (own) => {
    const failed = await addNames(own);
    return failed === null ? compare(own, range, wanted) : whyFailed(failed, 'the new files could not be read');
  });
}
