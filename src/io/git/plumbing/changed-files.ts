import type { SessionBase } from '#protocol/session.ts';
import type { Git, GitAnswer } from './git.ts';
import { commitOf, lineOf, zeroSplit } from './quiet-git.ts';
import { type Refusal, refused, whyFailed } from './refusal.ts';
import { type ReadStatus, readStatus } from './read-status.ts';
import { STATE_FILE } from './state-file.ts';

export type ChangedFiles = { readonly kind: 'changed'; readonly files: readonly string[] } | Refusal;

/** The uncommitted files of a worktree: sorted, with `/` as separator. A nested repository ends with `/`. */
export interface Dirty {
  readonly kind: 'dirty';
  /** The commit that is checked out; null in a repository without commits. */
  readonly head: string | null;
  /** All uncommitted files: staged, unstaged, in conflict and untracked. */
  readonly files: readonly string[];
  /** The uncommitted files that git doesn't track. */
  readonly untracked: readonly string[];
  /** Tracked files that differ between worktree and index, or that are in conflict. */
  readonly changed: readonly string[];
  /** Tracked files that were deleted from the worktree. */
  readonly gone: readonly string[];
}

/**
 * Returns whether a status record (`1 .M S.M. …`) is only about uncommitted changes inside a submodule, which the
 * submodule's own status reports.
 */
const isWithin = (record: string): boolean => /^1 \.M S\./.test(record);

const isGone = ({ text }: { readonly text: string }): boolean => /^1 .D/.test(text);

/** Extracts the uncommitted files from a status that was already read. */
export async function dirtyIn(status: ReadStatus): Promise<Dirty | Refusal> {
  if ('failed' in status) return whyFailed(status.failed, "can't list the changed files");
  const { untracked, conflicted } = status;
  const own = status.records.filter(({ text }) => !isWithin(text));
  const unstaged = own.filter(({ text }) => /^1 .[^.]/.test(text));
  return {
    kind: 'dirty',
    head: status.head,
    files: own.map(({ path }) => path).sort(),
    untracked,
    changed: [...unstaged.filter((one) => !isGone(one)).map(({ path }) => path), ...conflicted],
    gone: unstaged.filter(isGone).map(({ path }) => path),
  };
}

/** Reads the uncommitted files that `git status` shows. */
export const dirtyFiles = async (git: Git, worktree: string): Promise<Dirty | Refusal> =>
  dirtyIn(await readStatus(git, worktree, 'commits'));

/**
 * Returns the newest commit that the session has in common with its base, so that commits of the base that a person
 * merged into the session aren't counted as the session's changes.
 */
async function partedFrom(git: Git, worktree: string, { commit, branch }: SessionBase): Promise<GitAnswer> {
  const base = ['merge-base', '--end-of-options', 'HEAD', commit];
  const parted = await git(worktree, [...base, `refs/heads/${branch}`]);
  // The base's branch may have been deleted.
  return parted.ok ? parted : git(worktree, base);
}

function withoutState(files: readonly string[]): ChangedFiles {
  const all = new Set(files);
  all.delete(STATE_FILE);
  return { kind: 'changed', files: [...all].sort() };
}

/**
 * Returns all files that a session has changed, in commits since it diverged from the base or uncommitted. They are
 * sorted, with `/` as separator. A renamed file is listed under both names, a nested repository ends with `/`, and the
 * state file of a held session is left out. `tip` is the commit of the base's branch, if known.
 */
export async function changedFiles(
  git: Git,
  worktree: string,
  base: SessionBase,
  dirty: Dirty,
  tip: string | null = null,
): Promise<ChangedFiles> {
  // The session has no commits of its own, so no git process is needed. This is the case for most sessions in a list.
  if (dirty.head !== null && (dirty.head === base.commit || dirty.head === tip)) return withoutState(dirty.files);
  const parted = await partedFrom(git, worktree, base);
  // Git ends with 1 and prints nothing if the two have no common history. Then every difference is a change.
  if (!parted.ok && parted.code !== 1) return whyFailed(parted, "can't list the changed files");
  const since = parted.ok ? lineOf(parted) : await commitOf(git, worktree, base.commit);
  if (since === null)
    return refused('missing', `can't list the changed files: git does not know the commit ${base.commit}`);
  const commits = await git(worktree, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', since, 'HEAD']);
  if (!commits.ok) return whyFailed(commits, "can't list the changed files");
  return withoutState([...zeroSplit(commits.out), ...dirty.files]);
}
