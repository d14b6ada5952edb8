import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../plumbing/git.ts';
import { inTheWay } from '../plumbing/ignored-files.ts';
import { commitOf, lineOf, moveRef, quietly, zeroSplit } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';
import { atOnce, type Serialise } from '../../files/serialise.ts';
import { makeCommit } from '../plumbing/snapshot.ts';
import { STATE_FILE } from '../plumbing/state-file.ts';
import { branchElsewhere } from './branch-state.ts';
import { blobAt, editTree } from '../plumbing/edit-tree.ts';

interface HoldRequest {
  readonly repository: string;
  readonly branch: string;
  /** The worktree in which the branch is checked out; null if there is none. */
  readonly worktree: string | null;
  /** The session's state as JSON, without secrets. */
  readonly state: string;
  readonly message: string;
  readonly serialise?: Serialise;
}

type HoldOutcome = { readonly kind: 'held'; readonly commit: string } | Refusal;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether a blob is a state file that the branch has or had earlier. An interrupted hold may have left one in
 * the worktree.
 */
async function isState(git: Git, worktree: string, tip: string, hash: string, blob: string): Promise<boolean> {
  if (hash === blob) return true;
  const args = ['log', '-1', '-m', '--no-show-signature', '--format=%H', `--find-object=${hash}`, tip];
  const found = await git(worktree, [...args, '--', STATE_FILE]);
  return found.ok && found.out !== '';
}

/**
 * Refuses if the user has a file, or a staged change, at the path of the state file. Returns null if nothing would be
 * lost.
 */
async function whyTaken(git: Git, worktree: string, tip: string, blob: string): Promise<Refusal | null> {
  const taken = (name: string): Refusal =>
    refused(
      'checkout_blocked',
      `${name} in ${worktree} is not the state of this session, and would be overwritten. Move it away or commit it, and hold again`,
      [name],
    );
  const folder = path.posix.dirname(STATE_FILE);
  const staged = await git(worktree, ['ls-files', '-z', '--stage', '--', folder]);
  if (!staged.ok) return whyFailed(staged, 'the state was not committed');
  for (const entry of zeroSplit(staged.out)) {
    const name = entry.slice(entry.indexOf('\t') + 1);
    if (name === folder) return taken(name);
    if (name === STATE_FILE && !(await isState(git, worktree, tip, entry.split(' ')[1] ?? '', blob)))
      return taken(name);
  }
  const other = await inTheWay(worktree, STATE_FILE);
  if (other === null) return null;
  const isFile = other === STATE_FILE && (await lstat(path.join(worktree, other)).catch(() => null))?.isFile() === true;
  const hash = isFile ? lineOf(await git(worktree, ['hash-object', '--', other])) : '';
  return hash !== '' && (await isState(git, worktree, tip, hash, blob)) ? null : taken(other);
}

/**
 * Stages the state file before the branch moves. If the index were older than the branch, the user's next commit would
 * remove the file.
 */
async function stage(git: Git, worktree: string | null, blob: string): Promise<Refusal | null> {
  if (worktree === null) return null;
  const done = await quietly(git, worktree, ['update-index', '--add', '--cacheinfo', `100644,${blob},${STATE_FILE}`]);
  return done.ok ? null : whyFailed(done, 'the state was not committed');
}

async function onBranch(git: Git, worktree: string, branch: string): Promise<Refusal | null> {
  const on = lineOf(await git(worktree, ['symbolic-ref', '--quiet', 'HEAD']));
  if (on === `refs/heads/${branch}`) return null;
  return branchElsewhere(git, worktree, on === '' ? null : on, branch);
}

/**
 * Commits the state of a session on its branch, without any other staged or edited file. No hook runs, nothing is
 * signed, and no identity is needed.
 */
export async function holdSession(git: Git, request: HoldRequest): Promise<HoldOutcome> {
  const { repository, branch, worktree, state, message, serialise = atOnce } = request;
  if (!isJson(state))
    return refused('invalid_state', 'the state of the session is not valid JSON; nothing was written');
  const elsewhere = worktree === null ? null : await onBranch(git, worktree, branch);
  if (elsewhere !== null) return elsewhere;
  const tip = await commitOf(git, repository, `refs/heads/${branch}`);
  if (tip === null) return refused('missing', `there is no branch ${branch} here`);
  const stored = await quietly(git, repository, ['hash-object', '-w', '--stdin'], { input: state });
  if (!stored.ok) return whyFailed(stored, 'the state was not written');
  const blob = lineOf(stored);
  const isThere = (await blobAt(git, repository, tip, STATE_FILE)) === blob;
  const tree = isThere ? null : await editTree(git, repository, tip, STATE_FILE, blob);
  if (tree !== null && typeof tree !== 'string') return tree;
  const commit = tree === null ? tip : await makeCommit(git, repository, tree, [tip], message);
  if (typeof commit !== 'string') return commit;
  const problem = worktree === null ? null : await whyTaken(git, worktree, tip, blob);
  const refusal = problem ?? (await stage(git, worktree, blob));
  if (refusal !== null) return refusal;
  if (commit !== tip) {
    const moved = await serialise(() => moveRef(git, repository, `refs/heads/${branch}`, commit, tip, 'hold'));
    if (!moved.ok) {
      if (worktree !== null) await quietly(git, worktree, ['reset', '-q', '--', STATE_FILE]);
      return whyFailed(moved, 'the state was not committed');
    }
  }
  if (worktree === null) return { kind: 'held', commit };
  const written = await quietly(git, worktree, ['checkout-index', '--force', '--', STATE_FILE]);
  return written.ok
    ? { kind: 'held', commit }
    : whyFailed(written, 'the state is committed, but its file was not written to the worktree');
}

type HeldState =
  { readonly kind: 'state'; readonly text: string; readonly commit: string } | { readonly kind: 'none' } | Refusal;

/** The largest size of a state file in bytes; a larger file of this name isn't a state. */
const LONGEST_STATE = 16_000_000;

/** Reads the state on a local branch or on a remote one (`origin/robosmith/…`), as it was written. */
export async function readHeld(git: Git, repository: string, branch: string): Promise<HeldState> {
  const commit =
    (await commitOf(git, repository, `refs/heads/${branch}`)) ??
    (await commitOf(git, repository, `refs/remotes/${branch}`));
  if (commit === null) return refused('missing', `there is no branch ${branch} here. Fetch it first`);
  const blob = await blobAt(git, repository, commit, STATE_FILE);
  if (blob === null) return { kind: 'none' };
  const size = Number(lineOf(await git(repository, ['cat-file', '-s', blob])));
  if (size > LONGEST_STATE)
    return refused(
      'invalid_state',
      `${STATE_FILE} on ${branch} has ${size} bytes, which is too large for a session state`,
    );
  const read = await git(repository, ['cat-file', 'blob', blob]);
  if (!read.ok) return whyFailed(read, `can't read ${STATE_FILE} on ${branch}`);
  if (!isJson(read.out))
    return refused('invalid_state', `${STATE_FILE} on ${branch} is not valid JSON: it was changed or truncated`);
  return { kind: 'state', text: read.out, commit };
}
