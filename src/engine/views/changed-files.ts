import { createGit } from '#io/git/plumbing/git.ts';
import { type ChangedPath, parseCounts, parseNames } from '#io/git/changes/parse-changes.ts';
import { lineOf, zeroSplit } from '#io/git/plumbing/quiet-git.ts';
import { STATE_FILE } from '#io/git/plumbing/state-file.ts';
import { processes } from '#io/process/process.ts';
import type { ChangedFile } from '#protocol/generated/view.gen.ts';
import { changedSymbols, firstSymbolLine, hasSymbols, splitPatch } from '../changes/changed-symbols.ts';
import { type SessionPlace, sinceOf } from '../changes/since-of.ts';

/** The maximum number of files listed. */
const MOST_FILES = 5_000;

const git = createGit(processes);

/** The maximum number of new files whose lines are counted, since each count needs a process. */
const MOST_COUNTED = 100;

/** The maximum number of files whose changed symbols are named. */
const MOST_NAMED = 200;

/**
 * The form of a diff from which the changed symbols are read. The context is long enough to contain the beginning of
 * most functions, so that the symbol of a change in the middle of one is known.
 */
const SYMBOL_FORM = [
  ...['--no-ext-diff', '--no-textconv', '--no-color', '--unified=300'],
  ...['--src-prefix=a/', '--dst-prefix=b/'],
];

/** Returns the diffs of tracked files in which symbols can be found, by path. */
async function patchesOf(
  directory: string,
  range: readonly string[],
  files: readonly ChangedPath[],
): Promise<ReadonlyMap<string, string>> {
  const named = files.filter(({ path }) => hasSymbols(path)).slice(0, MOST_NAMED);
  if (named.length === 0) return new Map();
  const paths = named.flatMap(({ path, from }) => (from === null ? [path] : [from, path]));
  const args = ['-c', 'core.quotePath=false', 'diff', ...SYMBOL_FORM, '--find-renames', ...range, '--'];
  // The paths are relative to the top of the repository, which may be another folder than `directory`.
  const specs = paths.map((path) => `:(top,literal)${path}`);
  const { out } = await git(directory, [...args, ...specs], { env: { GIT_LITERAL_PATHSPECS: '0' } });
  return splitPatch(out);
}

/** Counts the lines of an untracked file, null if it is binary, and names its symbols. */
async function readUntracked(
  worktree: string,
  path: string,
): Promise<{ readonly lines: number | null; readonly symbols: readonly string[] }> {
  const form = hasSymbols(path) ? ['--numstat', '--patch', ...SYMBOL_FORM] : ['--numstat'];
  const { out } = await git(worktree, ['diff', '--no-index', ...form, '--', '/dev/null', path]);
  const count = /^(\d+)\t/.exec(out)?.[1];
  return { lines: count === undefined ? null : Number(count), symbols: changedSymbols(path, out) };
}

async function untrackedIn(worktree: string): Promise<readonly ChangedFile[]> {
  const listed = await git(worktree, ['ls-files', '--others', '--exclude-standard', '-z']);
  const paths = zeroSplit(listed.out);
  const counted = await Promise.all(paths.slice(0, MOST_COUNTED).map((path) => readUntracked(worktree, path)));
  return paths.map((path, index) => {
    const { lines: added, symbols } = counted[index] ?? { lines: null, symbols: [] };
    return { path, change: 'added', from: null, added, deleted: added === null ? null : 0, symbols: [...symbols] };
  });
}

/**
 * Returns the files that differ between two states, with the symbols that differ. With one state, it is compared with
 * the tracked files of the directory. Sorted by path.
 */
export async function filesBetween(directory: string, range: readonly string[]): Promise<readonly ChangedFile[]> {
  const diff = (form: string) =>
    git(directory, ['diff', '--no-ext-diff', '--find-renames', '-z', form, ...range, '--']);
  const [names, counts] = [await diff('--name-status'), parseCounts((await diff('--numstat')).out)];
  const paths = parseNames(names.out);
  const patches = await patchesOf(directory, range, paths);
  return sorted(
    paths.map((file) => ({
      ...file,
      ...(counts.get(file.path) ?? { added: null, deleted: null }),
      symbols: [...changedSymbols(file.path, patches.get(file.path) ?? '')],
    })),
  );
}

const sorted = (files: readonly ChangedFile[]): readonly ChangedFile[] =>
  files
    .filter(({ path }) => path !== STATE_FILE)
    .sort((one, other) => (one.path < other.path ? -1 : 1))
    .slice(0, MOST_FILES);

/**
 * Returns what a session has changed since its branch diverged from its base, committed or not. Empty if git can't read
 * the changes.
 */
export async function sessionFiles(session: SessionPlace, root: string): Promise<readonly ChangedFile[]> {
  const { worktree, branch } = session;
  const directory = worktree ?? root;
  const head = worktree === null ? `refs/heads/${branch}` : 'HEAD';
  const since = await sinceOf(directory, head, session);
  if (since === null) return [];
  if (worktree === null) return filesBetween(directory, [since, head]);
  return sorted([...(await filesBetween(directory, [since])), ...(await untrackedIn(worktree))]);
}

/**
 * Returns a file as it was at the commit where the session's branch diverged from its base; null if it did not exist.
 */
export async function fileAtBase(session: SessionPlace, root: string, path: string): Promise<string | null> {
  const directory = session.worktree ?? root;
  const head = session.worktree === null ? `refs/heads/${session.branch}` : 'HEAD';
  const since = await sinceOf(directory, head, session);
  if (since === null) return null;
  const shown = await git(directory, ['show', `${since}:${path}`]);
  return shown.ok ? shown.out : null;
}

/** Returns the line at which a session first changes a symbol of a file, counted from 1; null if it changes none. */
export async function symbolLineOf(session: SessionPlace, root: string, path: string): Promise<number | null> {
  const { worktree, branch } = session;
  const directory = worktree ?? root;
  const head = worktree === null ? `refs/heads/${branch}` : 'HEAD';
  const since = await sinceOf(directory, head, session);
  if (since === null) return null;
  const range = worktree === null ? [since, head] : [since];
  return symbolLineBetween(directory, range, path);
}

/** Returns the line at which a symbol of a file first differs between two states; null: none does. */
export async function symbolLineBetween(
  directory: string,
  range: readonly string[],
  path: string,
): Promise<number | null> {
  const patches = await patchesOf(directory, range, [{ path, from: null, change: 'modified' }]);
  return firstSymbolLine(path, patches.get(path) ?? '');
}

/** Returns a file as it is on the session's branch; null if the branch does not contain it. */
export async function fileOnBranch({ branch }: SessionPlace, root: string, path: string): Promise<string | null> {
  const shown = await git(root, ['show', `refs/heads/${branch}:${path}`]);
  return shown.ok ? shown.out : null;
}

/** Returns how many commits of its base a session lacks. */
export async function commitsBehind({ branch, baseBranch }: SessionPlace, root: string): Promise<number> {
  const counted = await git(root, ['rev-list', '--count', `refs/heads/${branch}..refs/heads/${baseBranch}`, '--']);
  const count = counted.ok ? Number(lineOf(counted)) : 0;
  return Number.isSafeInteger(count) ? count : 0;
}
