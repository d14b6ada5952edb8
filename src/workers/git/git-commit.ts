import { RoboSmithError } from '#protocol/error.ts';
import type { JsonObject } from '#protocol/json.ts';
import { FAILURE, SUCCESS } from '#protocol/signal.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { type CommitChanges, commitFiles, findChanges, isProblem, keyProblem } from './commit-changes.ts';
import { commitMessage } from './commit-message.ts';
import { findCommit } from './find-commit.ts';
import { type GitProblem, gitProblem } from './git-codes.ts';
import { type Git, gitIn } from './run-git.ts';
import { whyNothing } from '../writing/write-access.ts';

const failure = ({ code, message, data }: GitProblem): WorkerResult => ({
  signal: FAILURE,
  append: [{ type: 'GIT_ERROR', content: `Nothing was committed (${code}): ${message}`, meta: { code, ...data } }],
});

/** Maximum number of files that a segment lists; their total count is given separately. */
const SHOWN = 200;

const leftOf = ({ left }: CommitChanges): JsonObject =>
  left.length === 0 ? {} : { left: left.slice(0, SHOWN), left_count: left.length };

/**
 * Returns the result for a commit. It is read from the repository, so that a commit made before a crash gives the same
 * result.
 */
async function describeCommit(git: Git, sha: string, changes: CommitChanges | null): Promise<WorkerResult> {
  const subject = (await git({ args: ['log', '-1', '--format=%s', sha], isRead: true })).text.trim();
  const listed = await git({
    args: ['diff-tree', '--root', '--no-commit-id', '--name-only', '--no-renames', '-r', '-z', sha],
    isRead: true,
  });
  const files = listed.text.split('\0').filter((path) => path !== '');
  const meta = { commit: sha, subject, files: files.slice(0, SHOWN), ...(changes === null ? {} : leftOf(changes)) };
  return {
    signal: SUCCESS,
    append: [
      { type: 'GIT_COMMIT', content: [`${sha.slice(0, 12)} ${subject}`, ...files.slice(0, SHOWN)].join('\n'), meta },
    ],
    exports: { 'git.commit': sha },
    stats: { filesCommitted: files.length },
  };
}

/**
 * Returns the result for a step with nothing left to commit. If an earlier attempt of this step made a commit, the
 * result describes that commit.
 */
async function nothing(git: Git, { system }: BlockMemory, changes: CommitChanges): Promise<WorkerResult> {
  const earlier = await findCommit(git, system, null);
  if (earlier !== null) return describeCommit(git, earlier, changes);
  const others =
    changes.left.length === 0 ? '' : `; the block may not commit ${changes.left.length} of the changed files`;
  return {
    signal: SUCCESS,
    append: [
      { type: 'GIT_COMMIT', content: `Nothing to commit${others}.`, meta: { commit: null, ...leftOf(changes) } },
    ],
    stats: { filesCommitted: 0 },
  };
}

function hooksOf({ block: { id, params } }: Services): boolean {
  const { hooks } = params;
  if (hooks === undefined || hooks === true || hooks === 'TRUE') return true;
  if (hooks === false || hooks === 'FALSE') return false;
  throw new RoboSmithError('precondition_failed', `${id} has "hooks" in its "params" that is neither true nor false`);
}

async function commit(memory: BlockMemory, services: Services, signal: AbortSignal): Promise<WorkerResult> {
  const { block, clock } = services;
  const hooks = hooksOf(services);
  const forbidden = whyNothing(block.access);
  if (forbidden !== null)
    return failure(gitProblem('nothing_allowed', `${block.id} may not commit any file: ${forbidden}`));
  const git = gitIn(services, memory.system.worktree, signal);
  // Rolls back the writes of a killed process, so that a partial write is not committed.
  await services.files?.settle();
  const changes = await findChanges(git, services);
  if (isProblem(changes)) return failure(changes);
  if (changes.allowed.length === 0) return nothing(git, memory, changes);
  const secret = await keyProblem(changes.allowed, services);
  if (secret !== null) return failure(secret);
  const message = commitMessage(memory, block);
  const sleep = (ms: number): Promise<void> => clock.sleep(ms, signal, memory.system.frame);
  const problem = await commitFiles(git, changes.allowed, message, hooks, sleep);
  if (problem === 'nothing') return nothing(git, memory, changes);
  if (problem !== null) return failure(problem);
  const made = await findCommit(git, memory.system, memory.system.attempt);
  // If a hook removed RoboSmith's trailer, the commit can't be found by it, so HEAD is used.
  return describeCommit(git, made ?? (await git({ args: ['rev-parse', 'HEAD'], isRead: true })).text.trim(), changes);
}

/**
 * The worker `Internal:GitCommit`. It commits the changes that the block's access covers. A trailer in each commit
 * names the step, so that recovery does not commit twice.
 */
export const gitCommit: Worker = {
  sideEffects: 'idempotent',
  execute: commit,
  checkCompletion: async ({ system }, services) => {
    const git = gitIn(services, system.worktree, new AbortController().signal);
    const made = await findCommit(git, system, system.attempt);
    if (made === null) return null;
    const changes = await findChanges(git, services);
    return describeCommit(git, made, isProblem(changes) ? null : changes);
  },
};
