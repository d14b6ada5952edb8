import type { SessionBase } from '#protocol/session.ts';
import type { Git, GitAnswer } from './git.ts';
import { commitOf, lineOf, zeroSplit } from './quiet-git.ts';
import { type Refusal, refused, whyFailed } from './refusal.ts';
import { type ReadStatus, readStatus } from './read-status.ts';
import { STATE_FILE } from './state-file.ts';

export type ChangedFiles = { readonly kind: 'changed'; readonly files: readonly string[] } | Refusal;

/** What is in no commit, sorted, with `/`; a repository inside with a `/` at its end. */
export interface Dirty {
  readonly kind: 'dirty';
  /** The commit that is checked out; null before the first one. */
  readonly head: string | null;
  /** Staged, not staged, in conflict, untracked. */
  readonly files: readonly string[];
  /** Those of them that git does not track. */
  readonly untracked: readonly string[];
  /** Tracked, and otherwise in the files than in the index; in conflict, too. */
  readonly changed: readonly string[];
  /** Tracked, and no longer there. */
  readonly gone: readonly string[];
}

/** What is not committed within a submodule is the submodule's: `1 .M S.M. …`. */
const isWithin = (record: string): boolean => /^1 \.M S\./.test(record);

const isGone = ({ text }: { readonly text: string }): boolean => /^1 .D/.test(text);

/** Of a status that was read. */
export async function dirtyIn(status: ReadStatus): Promise<Dirty | Refusal> {
  if ('failed' in status) return whyFailed(status.failed, 'the changed files were not found');
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

/** What `git status` shows. */
export const dirtyFiles = async (git: Git, worktree: string): Promise<Dirty | Refusal> =>
  dirtyIn(await readStatus(git, worktree, 'commits'));

/** Where it parted from the base, or the last it has of it: also what a person has merged by hand is no change of its own. */
async function partedFrom(git: Git, worktree: string, { commit, branch }: SessionBase): Promise<GitAnswer> {
  const base = ['merge-base', '--end-of-options', 'HEAD', commit];
  const parted = await git(worktree, [...base, `refs/heads/${branch}`]);
  // The branch may be gone.
  return parted.ok ? parted : git(worktree, base);
}

function withoutState(files: readonly string[]): ChangedFiles {
  const all = new Set(files);
  all.delete(STATE_FILE);
  return { kind: 'changed', files: [...all].sort() };
}

/**
 * All that a session has in fact changed (spec/worktrees.md "Real overlap"): its commits since it parted from the base, and what is not
 * committed. Sorted, with `/`; a renamed file under both names, a repository inside with a `/` at its end. The held state is no change.
 * `tip`: the commit of the base's branch, where it is known.
 */
export async function changedFiles(
  git: Git,
  worktree: string,
  base: SessionBase,
  dirty: Dirty,
  tip: string | null = null,
): Promise<ChangedFiles> {
  // Nothing is committed since: most sessions of a list are like that, and git need not be started.
  if (dirty.head !== null && (dirty.head === base.commit || dirty.head === tip)) return withoutState(dirty.files);
  const parted = await partedFrom(git, worktree, base);
  // Ends with 1, and says nothing, when the two have no common history: then all that differs is a change.
  if (!parted.ok && parted.code !== 1) return whyFailed(parted, 'the changed files were not found');
  const since = parted.ok ? lineOf(parted) : await commitOf(git, worktree, base.commit);
  if (since === null) return refused('missing', `the changed files were not found: git knows no commit ${base.commit}`);
  const commits = await git(worktree, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', since, 'HEAD']);
  if (!commits.ok) return whyFailed(commits, 'the changed files were not found');
  return withoutState([...zeroSplit(commits.out), ...dirty.files]);
}
