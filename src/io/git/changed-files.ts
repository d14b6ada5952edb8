import type { Git } from './git.ts';
import { commitOf, lineOf, zeroSplit } from './quiet-git.ts';
import { type Refusal, refused, whyFailed } from './refusal.ts';
import { STATE_FILE } from './state-file.ts';

export type ChangedFiles = { readonly kind: 'changed'; readonly files: readonly string[] } | Refusal;

const STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'];

/** Fields before the path, by the first letter of a line of `git status --porcelain=v2` without renames. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };

function pathOf(entry: string): string | null {
  const fields = FIELDS[entry.charAt(0)];
  return fields === undefined ? null : entry.split(' ').slice(fields).join(' ');
}

/** What `git status` shows: staged, not staged, in conflict, untracked. */
export async function dirtyFiles(git: Git, worktree: string): Promise<ChangedFiles> {
  const answer = await git(worktree, STATUS);
  if (!answer.ok) return whyFailed(answer, 'the changed files were not found');
  const files = zeroSplit(answer.out).flatMap((entry) => pathOf(entry) ?? []);
  return { kind: 'changed', files: files.sort() };
}

/**
 * All that a session has in fact changed (spec/worktrees.md "Real overlap"): its commits since it parted from the base, and what is not
 * committed. Sorted, with `/`; a renamed file under both names, a repository inside with a `/` at its end. The held state is no change.
 */
export async function changedFiles(git: Git, worktree: string, baseCommit: string): Promise<ChangedFiles> {
  const parted = await git(worktree, ['merge-base', '--end-of-options', baseCommit, 'HEAD']);
  // Ends with 1, and says nothing, when the two have no common history: then all that differs is a change.
  if (!parted.ok && parted.code !== 1) return whyFailed(parted, 'the changed files were not found');
  const since = parted.ok ? lineOf(parted) : await commitOf(git, worktree, baseCommit);
  if (since === null) return refused('missing', `the changed files were not found: git knows no commit ${baseCommit}`);
  const commits = await git(worktree, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', since, 'HEAD']);
  if (!commits.ok) return whyFailed(commits, 'the changed files were not found');
  const dirty = await dirtyFiles(git, worktree);
  if (dirty.kind === 'refused') return dirty;
  const all = new Set([...zeroSplit(commits.out), ...dirty.files]);
  all.delete(STATE_FILE);
  return { kind: 'changed', files: [...all].sort() };
}
