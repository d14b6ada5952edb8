import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ListedWorktree, WorktreeRefusal } from '#protocol/worktree.ts';
import type { SessionBase } from '#protocol/session.ts';
import type { Git } from '../plumbing/git.ts';
import { refused } from './git-refusal.ts';
import { operationIn } from './git-state.ts';

/** Returns the full hash of the commit that a name refers to; null if there is none. */
export async function commitOf(git: Git, repository: string, name: string): Promise<string | null> {
  const found = await git(repository, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  return found.ok ? found.out.trim() : null;
}

/** Matches git's revision operators, which are not allowed in branch names. */
const STEP = /[~^:]|@\{/;

/**
 * Returns the full hash of a branch's tip. Null if there is no branch with exactly this name; `main~1` is not a branch
 * name.
 */
export const branchCommit = async (git: Git, repository: string, branch: string): Promise<string | null> =>
  STEP.test(branch) ? null : commitOf(git, repository, `refs/heads/${branch}`);

type BaseWhy = 'base_missing' | 'base_unknown' | 'no_commit';

/** Returns the branch that is being rebased in a worktree, from its git folder; null if no rebase is in progress. */
export async function rebasedBranch(folder: string): Promise<string | null> {
  if ((await operationIn(folder)) !== 'rebase') return null;
  for (const kind of ['rebase-merge', 'rebase-apply']) {
    const name = await readFile(path.join(folder, kind, 'head-name'), 'utf8').catch(() => '');
    if (name.startsWith('refs/heads/')) return name.trim().slice('refs/heads/'.length);
  }
  return null;
}

/**
 * Refuses because the base doesn't exist here. A branch that exists only on a remote doesn't count: a session is merged
 * into a local branch.
 */
async function missing(git: Git, repository: string, branch: string): Promise<WorktreeRefusal<BaseWhy>> {
  const remotes = await git(repository, ['for-each-ref', '--format=%(refname:short)', 'refs/remotes']);
  const remote = remotes.out.split('\n').find((name) => name.split('/').slice(1).join('/') === branch);
  const next =
    remote === undefined
      ? 'set "base" in the "worktree" section of the manifest to an existing branch'
      : `create it from ${remote} with \`git branch ${branch} ${remote}\``;
  return refused('base_missing', `There is no branch "${branch}" to start from; ${next}`);
}

/**
 * Returns the base for a manifest that names none: the main checkout's branch, else the default branch of `origin`;
 * null if neither is known.
 */
async function candidateOf(git: Git, repository: string, main: ListedWorktree | undefined): Promise<string | null> {
  if (main?.branch !== null && main?.branch !== undefined) return main.branch;
  if (main?.isBare === true) {
    const head = await git(repository, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
    if (head.ok) return head.out.trim();
  }
  const remote = await git(repository, ['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD']);
  return remote.ok ? remote.out.trim().split('/').slice(1).join('/') : null;
}

interface BaseQuestion {
  readonly repository: string;
  readonly common: string;
  readonly main: ListedWorktree | undefined;
  /** The base that the manifest names; null if it names none. */
  readonly base: string | null;
}

/** Returns the branch that sessions start from and are merged into, and its commit. */
export async function resolveBase(git: Git, question: BaseQuestion): Promise<SessionBase | WorktreeRefusal<BaseWhy>> {
  const { repository, common, main, base } = question;
  const branch = base ?? (await rebasedBranch(common)) ?? (await candidateOf(git, repository, main));
  if (branch === null)
    return refused(
      'base_unknown',
      `HEAD of ${main?.path ?? repository} is detached, so the branch to start from is unknown. ` +
        'Check out a branch, or set "base" in the "worktree" section of the manifest',
    );
  const commit = await branchCommit(git, repository, branch);
  if (commit !== null) return { branch, commit };
  const any = await git(repository, ['for-each-ref', '--count=1', '--format=%(objectname)', 'refs/heads']);
  if (any.ok && any.out.trim() === '')
    return refused(
      'no_commit',
      `${main?.path ?? repository} has no commit yet. Create a first commit, then start again`,
    );
  return missing(git, repository, branch);
}
