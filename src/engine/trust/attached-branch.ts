import { realPath } from '#io/files/real-path.ts';
import { createGit, type Git } from '#io/git/plumbing/git.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import { processes } from '#io/process/process.ts';
import { isTrusted, rememberTrust } from '#io/user/trust-store.ts';
import type { Graph } from '#protocol/graph.ts';
import type { ForeignCommit } from '#protocol/session-api.ts';
import { trustHash } from './executable.ts';
import { inspectCommit } from './foreign-commit.ts';
import { listExecutables } from './list-executables.ts';
import { messageOf } from '#protocol/message-of.ts';

/*
 * Decides whether a session may work on an existing branch. Its commit is known if it is part of the current checkout's
 * history, if it was committed in this clone, as the reflog shows, or if a person has confirmed exactly this commit.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** Matches what git and RoboSmith note in the reflog for a commit that they make, but not for one that they fetch. */
const MADE_HERE = /^(?:commit\b|hold$)/;

async function isMadeHere(git: Git, place: string, commit: string): Promise<boolean> {
  const log = await git(place, ['reflog', 'show', '--all', '--format=%H %gs']);
  return log.out
    .split('\n')
    .some((line) => line.startsWith(`${commit} `) && MADE_HERE.test(line.slice(commit.length + 1)));
}

const hashOf = (place: string, commit: string): string => trustHash(place, [{ what: 'commit', command: commit }]);

async function isKnown(git: Git, place: string, commit: string, environment: Environment): Promise<boolean> {
  if ((await git(place, ['merge-base', '--is-ancestor', commit, 'HEAD'])).ok) return true;
  return (await isMadeHere(git, place, commit)) || isTrusted(hashOf(place, commit), environment);
}

/** Returns the commit of a branch if no session may work on it yet, or null. `root`: the project's folder. */
export async function unknownCommit(
  git: Git,
  root: string,
  branch: string,
  environment: Environment,
): Promise<string | null> {
  const commit = await commitOf(git, root, `refs/heads/${branch}`);
  return commit === null || (await isKnown(git, await realPath(root), commit, environment)) ? null : commit;
}

/** Returns what a person must know before a session works on a branch; null if its commit is known. */
export async function foreignBranch(
  branch: string,
  root: string,
  graph: Graph | null,
  environment: Environment,
): Promise<ForeignCommit | null> {
  const git = createGit(processes);
  const place = await realPath(root);
  const commit = await unknownCommit(git, place, branch, environment);
  if (commit === null) return null;
  return inspectCommit(git, place, { branch, commit }, graph === null ? [] : await listExecutables(graph, place));
}

/** Stores that a person has confirmed a commit, and no other one. */
export async function rememberCommit(commit: string, root: string, environment: Environment): Promise<void> {
  const place = await realPath(root);
  await rememberTrust(hashOf(place, commit), place, environment);
}

/** Records that runs may work in a worktree that the engine created outside of the project, so that nobody is asked. */
export async function rememberWorktree(
  worktree: string,
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  warn: (message: string) => void,
): Promise<void> {
  const place = await realPath(root);
  const hash = trustHash(place, [{ what: 'directory', command: await realPath(worktree) }]);
  try {
    if (!(await isTrusted(hash, environment))) await rememberTrust(hash, place, environment);
  } catch (thrown) {
    warn(`the permission for runs to work in ${worktree} could not be saved: ${messageOf(thrown)}`);
  }
}
