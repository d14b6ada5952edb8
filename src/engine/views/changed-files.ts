import { workTree } from '#io/git/outcomes/commit-work.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { type ChangedPath, parseCounts, parseNames } from '#io/git/changes/parse-changes.ts';
import { lineOf } from '#io/git/plumbing/quiet-git.ts';
import { STATE_FILE } from '#io/git/plumbing/state-file.ts';
import { processes } from '#io/process/process.ts';
import type { ChangedFile } from '#protocol/generated/view.gen.ts';
import type { Session } from '#protocol/session.ts';
import { changedSymbols, firstSymbolLine, hasSymbols, splitPatch } from '../changes/changed-symbols.ts';
import { type SessionPlace, sinceOf } from '../changes/since-of.ts';

/** The maximum number of files listed. */
const MOST_FILES = 5_000;

/** The fields of a session by which its changes are found. */
export type SessionWork = SessionPlace & Pick<Session, 'state' | 'merged'>;

const git = createGit(processes);

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

/**
 * Returns the files that differ between two commits or trees, with the symbols that differ. Sorted by path.
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

/** The two states between which the changes of a session lie. */
export interface SessionRange {
  /** A folder of the repository that has both states. */
  readonly directory: string;
  /** A full hash: the commit at which the session's own changes begin. */
  readonly from: string;
  /** A full hash: the tree of the work, committed or not; of a merged session, the base's commit after the merge. */
  readonly to: string;
}

/** Returns a session's changes as two states that never change; null if git can't find them. */
export async function sessionRange(session: SessionWork, root: string): Promise<SessionRange | null> {
  const { worktree, branch, state, merged } = session;
  if (state === 'merged')
    return merged === undefined ? null : { directory: root, from: merged.from, to: merged.commit };
  const directory = worktree ?? root;
  const head = worktree === null ? `refs/heads/${branch}` : 'HEAD';
  const from = await sinceOf(directory, head, session);
  if (from === null) return null;
  const to = worktree === null ? await treeOf(root, head) : await workTree(git, worktree);
  return typeof to === 'string' ? { directory, from, to } : null;
}

async function treeOf(directory: string, revision: string): Promise<string | null> {
  const found = await git(directory, ['rev-parse', '--quiet', '--verify', '--end-of-options', `${revision}^{tree}`]);
  return found.ok ? lineOf(found) : null;
}

export const filesInRange = ({ directory, from, to }: SessionRange): Promise<readonly ChangedFile[]> =>
  filesBetween(directory, [from, to]);

/**
 * Returns what a session has changed since its branch diverged from its base, committed or not. Empty if git can't read
 * the changes.
 */
export async function sessionFiles(session: SessionWork, root: string): Promise<readonly ChangedFile[]> {
  const range = await sessionRange(session, root);
  return range === null ? [] : filesInRange(range);
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

/** Returns how many commits of its base a session lacks. */
export async function commitsBehind({ branch, baseBranch }: SessionPlace, root: string): Promise<number> {
  const counted = await git(root, ['rev-list', '--count', `refs/heads/${branch}..refs/heads/${baseBranch}`, '--']);
  const count = counted.ok ? Number(lineOf(counted)) : 0;
  return Number.isSafeInteger(count) ? count : 0;
}
