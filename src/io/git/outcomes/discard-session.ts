import { lstat } from 'node:fs/promises';
import { allFiles } from '../plumbing/all-files.ts';
import { isOurLock } from '#protocol/worktree.ts';
import { DISCARDED } from '../plumbing/kept-refs.ts';
import type { Git, GitAnswer } from '../plumbing/git.ts';
import { worktreeEntry } from '../plumbing/worktree-entry.ts';
import { commitOf, moveRef, quietly } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';
import { atOnce, type Serialise } from '../../files/serialise.ts';
import { makeCommit, MAX_FILE_BYTES, NO_TIME, readCommits, snapshotCommit } from '../plumbing/snapshot.ts';
import { withTemporaryIndex } from '../plumbing/temporary-index.ts';
import { type Checkout, checkouts } from '../plumbing/list-checkouts.ts';
import { ownCheckout } from './checkouts.ts';
import { branchElsewhere, lostBranch } from './branch-state.ts';
import { CHECKOUT_MS } from './temporary-worktree.ts';
import { whyLeftUnsafe, whyUnsafe } from './unsafe-work.ts';
import { type KeptHeads, keepHeads } from '../worktrees/keep-heads.ts';
import { takeAway } from '../worktrees/take-away.ts';
import { withIgnored } from './with-ignored.ts';

export interface DiscardRequest {
  readonly repository: string;
  readonly session: string;
  /** The branch name without `refs/heads/`. */
  readonly branch: string;
  /** The path of the worktree; null if it is gone. */
  readonly worktree: string | null;
  /** True for an attached branch, which is kept after its session. */
  readonly keepBranch?: boolean;
  /** Globs of ignored files to keep as well, in the syntax of `IgnoredQuestion`. */
  readonly ignored?: readonly string[];
  readonly serialise?: Serialise;
}

export type DiscardResult =
  | {
      readonly kind: 'discarded';
      /** The recovery ref, which restores everything: the tip, with the uncommitted work on top. */
      readonly ref: string;
      readonly commit: string;
      /** The tip of the branch, for the event log. */
      readonly tip: string;
      /** The parts that could not be removed, and why. Their content is kept under the recovery ref. */
      readonly leftovers: readonly string[];
    }
  | Refusal;

const isThere = async (file: string): Promise<boolean> => (await lstat(file).catch(() => null)) !== null;

async function whyNotOurs(
  own: Checkout | undefined,
  { worktree }: DiscardRequest,
  all: readonly Checkout[],
): Promise<Refusal | null> {
  if (worktree === null) return null;
  // No worktree: an interrupted discard has already removed it.
  if (own === undefined && !(await isThere(worktree))) return null;
  if (own === undefined)
    return refused(
      'missing',
      `${worktree} is not a worktree of this repository; nothing was removed. Check its content, move it away, and discard again`,
    );
  if (own === all[0]) return refused('work_not_saved', `${worktree} is the main checkout, which is never removed`);
  if (own.locked !== null && !isOurLock(own.locked))
    return refused(
      'worktree_locked',
      `${worktree} is locked (${own.locked || 'no reason given'}). Run \`git worktree unlock\` on it first`,
    );
  return null;
}

function checkedOutElsewhere(
  own: Checkout | undefined,
  { branch, keepBranch = false }: DiscardRequest,
  all: readonly Checkout[],
): Refusal | null {
  const elsewhere = all.find((one) => one.ref === `refs/heads/${branch}` && one !== own && one.isHere);
  if (elsewhere === undefined || keepBranch) return null;
  const where = `${branch} is checked out in ${elsewhere.path}`;
  return refused('branch_elsewhere', `${where}. Check out another branch there first`);
}

const messageFor = (branch: string): string => `robosmith: discarded\n\n${branch}`;

/**
 * Creates a commit on the tip with all uncommitted work, dated at the time of the discard. Returns `last` if it is
 * identical. If the worktree is not on its branch, its work is kept apart, together with the commit that it is on.
 */
async function keptCommit(
  git: Git,
  request: DiscardRequest,
  own: Checkout | undefined,
  tip: string,
  last: string | null,
) {
  const { repository, branch, ignored = [] } = request;
  const message = messageFor(branch);
  if (own?.isHere !== true) {
    const unsafe = own === undefined ? null : await whyLeftUnsafe(git, repository, own.path);
    if (unsafe !== null) return unsafe;
    // An interrupted discard has already saved the work, while the worktree still existed.
    return tipCommit(git, request, tip, last);
  }
  const isOnBranch = own.ref === `refs/heads/${branch}`;
  const work = await withTemporaryIndex(git, own.path, async (index): Promise<string | Refusal> => {
    const seen = await allFiles(index, own.path, MAX_FILE_BYTES);
    const files = seen.kind === 'refused' ? seen : await withIgnored(index, own.path, seen, ignored);
    if (files.kind === 'refused') return files;
    const unsafe = await whyUnsafe(git, own.path, files.leftOut, ignored);
    const before = await readCommits(git, own.path, isOnBranch ? last : null);
    return unsafe ?? snapshotCommit(git, own.path, files, message, before, isOnBranch ? {} : NO_TIME);
  });
  if (isOnBranch || typeof work !== 'string') return work;
  const isChanged = (await commitOf(git, own.path, `${work}^2`)) !== null || (await differs(git, own.path, work));
  const kept = isChanged ? await keepOwnHeads(git, request, own, [work]) : null;
  if (kept !== null && 'kind' in kept) return kept;
  return tipCommit(git, request, tip, last);
}

const differs = async (git: Git, worktree: string, commit: string): Promise<boolean> =>
  !(await git(worktree, ['diff-tree', '--quiet', `${commit}^1`, commit, '--'])).ok;

/** Creates a commit with the files of the tip, or returns `last` if it is one. */
async function tipCommit(git: Git, { repository, branch }: DiscardRequest, tip: string, last: string | null) {
  if (last !== null && (await commitOf(git, repository, `${last}^1`)) === tip) return last;
  return makeCommit(git, repository, `${tip}^{tree}`, [tip], messageFor(branch));
}

/** Keeps the commits of the worktree that are on no branch, and `more`, which has its uncommitted work. */
async function keepOwnHeads(
  git: Git,
  { repository, session }: DiscardRequest,
  { path }: Checkout,
  more: readonly string[],
): Promise<KeptHeads | null | Refusal> {
  const entry = await worktreeEntry(git, repository, path);
  if (entry !== null && typeof entry !== 'string') return entry;
  return keepHeads(git, { repository, entry, name: session, more });
}

const besideOf = (ref: string, commit: string): string => `${ref}-${commit.slice(0, 12)}`;

interface RefCommit {
  readonly ref: string;
  readonly commit: string;
}

/**
 * Moves work of the session that was kept earlier to a separate ref. Returns null if an interrupted discard has already
 * done so.
 */
async function moveAside(git: Git, repository: string, ref: string, last: string): Promise<GitAnswer | null> {
  const name = besideOf(ref, last);
  if ((await commitOf(git, repository, name)) === last) return null;
  return moveRef(git, repository, name, last, null, 'discarded');
}

/** Sets the session's recovery ref to the commit. Work that the ref kept before is moved to another ref. */
async function keep(
  git: Git,
  repository: string,
  session: string,
  commit: string,
  last: string | null,
): Promise<RefCommit | Refusal> {
  const ref = DISCARDED + session;
  if (commit === last) return { ref, commit };
  const beside = last === null ? null : await moveAside(git, repository, ref, last);
  const moved = beside?.ok === false ? beside : await moveRef(git, repository, ref, commit, last, 'discarded');
  return moved.ok ? { ref, commit } : whyFailed(moved, 'nothing was removed, because the work could not be saved');
}

async function unkeep(git: Git, repository: string, { ref, commit }: RefCommit, last: string | null): Promise<void> {
  const back = await moveRef(git, repository, ref, last, commit, 'discarded');
  if (back.ok && last !== null) await moveRef(git, repository, besideOf(ref, last), null, last, 'discarded');
}

/**
 * Keeps the content of a worktree. Returns `changed` if files were written meanwhile, so that the kept commit may be
 * incomplete.
 */
async function keepAll(
  git: Git,
  request: DiscardRequest,
  own: Checkout | undefined,
  tip: string,
): Promise<RefCommit | 'changed' | Refusal> {
  const { repository, session } = request;
  const last = await commitOf(git, repository, DISCARDED + session);
  const commit = await keptCommit(git, request, own, tip, last);
  if (typeof commit !== 'string') return commit;
  const kept = await keep(git, repository, session, commit, last);
  if ('kind' in kept) return kept;
  const now = await keptCommit(git, request, own, tip, commit);
  if (now === commit) return kept;
  if (commit !== last) await unkeep(git, repository, kept, last);
  return typeof now === 'string' ? 'changed' : now;
}

/**
 * Removes the worktree's folder, and returns what is left of it. Git deregisters a worktree even if it can't delete
 * every file, and that can't be undone.
 */
async function removeFolder(git: Git, repository: string, own: Checkout): Promise<readonly string[] | Refusal> {
  const entry = await worktreeEntry(git, repository, own.path);
  if (typeof entry === 'string') {
    const gone = await takeAway(git, { repository, worktree: own.path, entry, force: true });
    if (gone !== null) return [];
  }
  // The engine has locked the worktree, so git requires `--force` twice.
  const removed = await quietly(git, repository, ['worktree', 'remove', '--force', '--force', own.path], {
    timeoutMs: CHECKOUT_MS,
  });
  if (removed.ok) return [];
  const why = await whyFailed(removed, 'the worktree was not removed; its work is saved');
  const all = await checkouts(git, repository);
  if ('kind' in all || all.some((one) => one.path === own.path)) return why;
  return [
    `${own.path} still exists, because git could not delete all of it. End the programs that use it, and delete the folder yourself`,
  ];
}

async function removeBranch(
  git: Git,
  { repository, branch, keepBranch = false }: DiscardRequest,
  tip: string,
): Promise<readonly string[]> {
  if (keepBranch) return [];
  const deleted = await moveRef(git, repository, `refs/heads/${branch}`, null, tip, 'discarded');
  const now = deleted.ok ? null : await commitOf(git, repository, `refs/heads/${branch}`);
  if (now === null) return [];
  if (now !== tip) return [`the branch ${branch} still exists: it has new commits that are not saved`];
  const { message } = await whyFailed(deleted, 'git did not delete it');
  return [`the branch ${branch} still exists, \`git branch -D ${branch}\` deletes it: ${message}`];
}

/** Refuses because the branch does not exist: it was renamed if its worktree is on another branch, else deleted. */
const whyNoBranch = (git: Git, own: Checkout | undefined, branch: string): Promise<Refusal> =>
  own?.isHere === true && own.ref !== null && own.ref !== `refs/heads/${branch}`
    ? branchElsewhere(git, own.path, own.ref, branch)
    : lostBranch(git, own?.isHere === true ? own.path : null, branch);

async function discardOnce(git: Git, request: DiscardRequest): Promise<DiscardResult | 'changed'> {
  const { repository, branch } = request;
  const all = await checkouts(git, repository);
  if ('kind' in all) return all;
  const own = await ownCheckout(request.worktree, all);
  const problem = (await whyNotOurs(own, request, all)) ?? checkedOutElsewhere(own, request, all);
  if (problem !== null) return problem;
  const tip = await commitOf(git, repository, `refs/heads/${branch}`);
  if (tip === null) return whyNoBranch(git, own, branch);
  const kept = await keepAll(git, request, own, tip);
  if (kept === 'changed' || 'kind' in kept) return kept;
  const heads = own === undefined ? null : await keepOwnHeads(git, request, own, []);
  if (heads !== null && 'kind' in heads) return heads;
  const folder = own === undefined ? [] : await removeFolder(git, repository, own);
  if ('kind' in folder) return folder;
  const leftovers = [...folder, ...(await removeBranch(git, request, tip))];
  return { kind: 'discarded', ref: kept.ref, commit: kept.commit, tip, leftovers };
}

/** After this many attempts the user is asked to stop the process that keeps changing the files. */
const ATTEMPTS = 3;

/**
 * Removes a session's worktree and branch, and keeps both under a recovery ref: the tip, and on top of it all
 * uncommitted work. Ignored files are deleted, except for those that match `ignored`. If git can't keep some of the
 * work, or its owner is unclear, nothing is removed.
 */
export async function discardSession(git: Git, request: DiscardRequest): Promise<DiscardResult> {
  const { serialise = atOnce } = request;
  // The whole discard is serialised, not only the removal, so that changes made while it waits are kept too.
  return serialise(async (): Promise<DiscardResult> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const discarded = await discardOnce(git, request);
      if (discarded !== 'changed') return discarded;
    }
    return refused(
      'work_not_saved',
      `the files of ${request.branch} changed while they were being saved, so nothing was removed. End the programs that write there, and discard again`,
    );
  });
}
