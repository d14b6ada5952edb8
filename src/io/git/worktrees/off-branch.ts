import { shellWord } from '#protocol/shell-word.ts';
import type { GitOperation } from '#protocol/worktree.ts';
import { howToAbort, howToGoOn, operationIn } from './git-state.ts';
import { unreachableCommits } from './unmerged-commits.ts';
import type { Git } from '../plumbing/git.ts';
import { gitFoldersOf } from '../plumbing/git-folders.ts';
import { commitOf, lineOf } from '../plumbing/quiet-git.ts';

/** The maximum number of commits named in a message. */
const NAMED = 3;

const counted = (count: number): string => `${String(count)} ${count === 1 ? 'commit' : 'commits'}`;

async function namesOf(git: Git, worktree: string, commits: readonly string[]): Promise<string> {
  const args = ['log', '--no-walk=unsorted', '--no-show-signature', '--encoding=UTF-8', '--format=%h %s'];
  const { out } = await git(worktree, [...args, ...commits.slice(0, NAMED), '--']);
  return [...out.trimEnd().split('\n'), ...(commits.length > NAMED ? ['…'] : [])].join(', ');
}

/** Returns how a person keeps commits of a detached HEAD that are on no branch, and gets back to the branch. */
async function keepDetached(git: Git, worktree: string, branch: string, commits: readonly string[]): Promise<string> {
  const ref = `refs/heads/${branch}`;
  const tip = await commitOf(git, worktree, ref);
  const isAhead = tip === null || (await git(worktree, ['merge-base', '--is-ancestor', ref, 'HEAD'])).ok;
  const named = `${counted(commits.length)} of it ${commits.length === 1 ? 'is' : 'are'} on no branch (${await namesOf(git, worktree, commits)})`;
  if (isAhead) return `${named}: \`git switch -C ${shellWord(branch)}\` there keeps them on ${branch}`;
  return `${named}, and ${branch} has others: ${ownBranch(branch, commits)}, then \`git switch ${shellWord(branch)}\``;
}

/** Returns how the commits of a detached HEAD get a branch of their own. */
const ownBranch = (branch: string, [head = '']: readonly string[]): string =>
  `\`git branch ${shellWord(`${branch}-${head.slice(0, 8)}`)} HEAD\` there keeps them on a branch of their own`;

/** Returns how an operation ends. Its commits are on no branch until it is continued to its end. */
async function endOperation(git: Git, worktree: string, operation: GitOperation, branch: string): Promise<string> {
  const goOn = howToGoOn(operation);
  const commits = await unreachableCommits(git, worktree, 'HEAD');
  const keep =
    commits.length === 0
      ? ''
      : `${counted(commits.length)} of it ${commits.length === 1 ? 'is' : 'are'} on no branch yet (${await namesOf(git, worktree, commits)}): ${ownBranch(branch, commits)}. `;
  const ways = [...(goOn === null ? [] : [`\`${goOn}\` finishes it`]), `\`${howToAbort(operation)}\` gives it up`];
  return `A ${operation} is in progress there. ${keep}${ways.join(', ')}`;
}

/** Returns how the branch is checked out again while another branch is. That branch keeps its commits. */
async function leaveOther(git: Git, worktree: string, on: string, branch: string): Promise<string> {
  const back = `\`git switch ${shellWord(branch)}\` there checks it out`;
  const own = await git(worktree, ['rev-list', '--count', on, '--not', `refs/heads/${branch}`, '--']);
  const count = own.ok ? Number(lineOf(own)) : 0;
  const other = on.replace(/^refs\/heads\//, '');
  if (count === 0) return back;
  return `${back}; ${counted(count)} that only ${other} has ${count === 1 ? 'stays' : 'stay'} there, and \`git merge ${shellWord(on)}\` then brings ${count === 1 ? 'it' : 'them'} along`;
}

/**
 * Returns what a person has to do in a worktree that is not on its session's branch, so that no commit is lost. `on` is
 * the full name of the ref that is checked out, or null if HEAD is detached.
 */
export async function wayToBranch(git: Git, worktree: string, on: string | null, branch: string): Promise<string> {
  const folders = await gitFoldersOf(worktree);
  const operation = folders === null ? null : await operationIn(folders.own);
  if (operation !== null) return endOperation(git, worktree, operation, branch);
  if (on !== null) return leaveOther(git, worktree, on, branch);
  const commits = await unreachableCommits(git, worktree, 'HEAD');
  return commits.length === 0
    ? `\`git switch ${shellWord(branch)}\` there checks it out, and loses no commit`
    : keepDetached(git, worktree, branch, commits);
}
