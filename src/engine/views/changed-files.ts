import { createGit } from '#io/git/plumbing/git.ts';
import { parseCounts, parseNames } from '#io/git/changes/parse-changes.ts';
import { lineOf, zeroSplit } from '#io/git/plumbing/quiet-git.ts';
import { STATE_FILE } from '#io/git/plumbing/state-file.ts';
import { processes } from '#io/process/process.ts';
import type { ChangedFile } from '#protocol/generated/view.gen.ts';
import { type SessionPlace, sinceOf } from '../changes/since-of.ts';

/** The maximum number of files listed. */
const MOST_FILES = 5_000;

const git = createGit(processes);

/** The maximum number of new files whose lines are counted, since each count needs a process. */
const MOST_COUNTED = 100;

/** Counts the lines of an untracked file; null if it is binary. */
async function linesOf(worktree: string, path: string): Promise<number | null> {
  const { out } = await git(worktree, ['diff', '--no-index', '--numstat', '--', '/dev/null', path]);
  const count = /^(\d+)\t/.exec(out)?.[1];
  return count === undefined ? null : Number(count);
}

async function untrackedIn(worktree: string): Promise<readonly ChangedFile[]> {
  const listed = await git(worktree, ['ls-files', '--others', '--exclude-standard', '-z']);
  const paths = zeroSplit(listed.out);
  const counted = await Promise.all(paths.slice(0, MOST_COUNTED).map((path) => linesOf(worktree, path)));
  return paths.map((path, index) => {
    const added = counted[index] ?? null;
    return { path, change: 'added', from: null, added, deleted: added === null ? null : 0, symbols: [] };
  });
}

/**
 * Returns what a session has changed since it parted from its base, committed or not. Empty if git can't read the
 * changes.
 */
export async function sessionFiles(session: SessionPlace, root: string): Promise<readonly ChangedFile[]> {
  const { worktree, branch } = session;
  const directory = worktree ?? root;
  const head = worktree === null ? `refs/heads/${branch}` : 'HEAD';
  const since = await sinceOf(directory, head, session);
  if (since === null) return [];
  const range = worktree === null ? [since, head] : [since];
  const diff = (form: string) =>
    git(directory, ['diff', '--no-ext-diff', '--find-renames', '-z', form, ...range, '--']);
  const [names, counts] = [await diff('--name-status'), parseCounts((await diff('--numstat')).out)];
  const tracked = parseNames(names.out).map((file) => ({
    ...file,
    ...(counts.get(file.path) ?? { added: null, deleted: null }),
    symbols: [],
  }));
  const all = [...tracked, ...(worktree === null ? [] : await untrackedIn(worktree))];
  return all
    .filter(({ path }) => path !== STATE_FILE)
    .sort((one, other) => (one.path < other.path ? -1 : 1))
    .slice(0, MOST_FILES);
}

/** Returns a file as it was where the session parted from its base; null if it did not exist. */
export async function fileAtBase(session: SessionPlace, root: string, path: string): Promise<string | null> {
  const directory = session.worktree ?? root;
  const head = session.worktree === null ? `refs/heads/${session.branch}` : 'HEAD';
  const since = await sinceOf(directory, head, session);
  if (since === null) return null;
  const shown = await git(directory, ['show', `${since}:${path}`]);
  return shown.ok ? shown.out : null;
}

/** Returns a file as the session's branch has it; null: there is none. */
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
