import { type AllFiles, allFiles, type LeftOut } from './all-files.ts';
import type { Git } from './git.ts';
import { lineOf, moveRef, quietly } from './quiet-git.ts';
import { type Refusal, refused, whyFailed } from './refusal.ts';
import { atOnce, type Serialise } from '../../files/serialise.ts';
import { withTemporaryIndex } from './temporary-index.ts';

interface SnapshotOptions {
  /** The previous snapshot. If nothing has changed since then, no new snapshot is made. */
  readonly last?: string | null;
  /** The size limit for untracked files. Larger ones are left out and listed in the result. */
  readonly maxFileBytes?: number;
  readonly serialise?: Serialise;
}

type Snapshot =
  | { readonly kind: 'taken'; readonly commit: string; readonly tree: string; readonly leftOut: readonly LeftOut[] }
  | { readonly kind: 'unchanged'; readonly commit: string; readonly leftOut: readonly LeftOut[] }
  | Refusal;

export const MAX_FILE_BYTES = 100_000_000;

/** Marks the snapshot of a worktree whose index was in conflict. The content of that index is not saved. */
export const CONFLICTED_INDEX = 'Robosmith-Index: in conflict';

/**
 * Fixed dates for commits of an index, so that the same index on the same parent always gives the same commit.
 * Snapshots can then be compared by their parents.
 */
export const NO_TIME = { GIT_AUTHOR_DATE: '@0 +0000', GIT_COMMITTER_DATE: '@0 +0000' };

/** Creates a commit with the engine's identity. A refusal contains git's error message. */
export async function makeCommit(
  git: Git,
  worktree: string,
  tree: string,
  parents: readonly string[],
  message: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string | Refusal> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])];
  const made = await quietly(git, worktree, args, { input: `${message}\n`, env });
  return made.ok ? lineOf(made) : whyFailed(made, "can't create the snapshot");
}

/** The commits that a new snapshot is compared with. */
interface Commits {
  /** The commit of HEAD; null if there is none. */
  readonly head: { readonly commit: string; readonly tree: string } | null;
  /** The previous snapshot, with its tree and its parents. */
  readonly last: { readonly commit: string; readonly tree: string; readonly parents: string } | null;
}

const COMMITS = ['log', '--no-walk=unsorted', '--no-show-signature', '--format=%H %T %P'];

/** Reads HEAD and the previous snapshot, with one git process if both exist. */
export async function readCommits(git: Git, worktree: string, last: string | null): Promise<Commits> {
  const read = async (...revisions: readonly string[]) => {
    const answer = await git(worktree, [...COMMITS, ...revisions, '--']);
    return (answer.ok ? answer.out.trimEnd().split('\n') : []).map((line) => {
      const [commit = '', tree = '', ...parents] = line.split(' ');
      return { commit, tree, parents: parents.join(' ') };
    });
  };
  if (last === null) return { head: (await read('HEAD'))[0] ?? null, last: null };
  const [head, before] = await read('HEAD', last);
  if (head !== undefined && before !== undefined) return { head, last: before };
  // One of them doesn't exist, or they are the same commit, which git prints once.
  const [[one], [other]] = await Promise.all([read('HEAD'), read(last)]);
  return { head: one ?? null, last: other ?? null };
}

/** Returns HEAD, and a commit of the index if that differs from HEAD, as `git stash` does. */
async function parentsOf(
  git: Git,
  worktree: string,
  { indexTree }: AllFiles,
  head: Commits['head'],
): Promise<readonly string[] | Refusal> {
  const heads = head === null ? [] : [head.commit];
  if (indexTree === null || head?.tree === indexTree) return heads;
  const index = await makeCommit(git, worktree, indexTree, heads, 'index', NO_TIME);
  return typeof index === 'string' ? [...heads, index] : index;
}

/**
 * Creates the commit of a snapshot from the listed files; returns the hash of the previous snapshot if it is identical.
 */
export async function snapshotCommit(
  git: Git,
  worktree: string,
  files: AllFiles,
  message: string,
  { head, last }: Commits,
  env: Readonly<Record<string, string>> = {},
): Promise<string | Refusal> {
  const parents = await parentsOf(git, worktree, files, head);
  if ('kind' in parents) return parents;
  if (last !== null && last.tree === files.tree && last.parents === parents.join(' ')) return last.commit;
  const note = files.indexTree === null ? `\n\n${CONFLICTED_INDEX}` : '';
  return makeCommit(git, worktree, files.tree, parents, `${message}${note}`, env);
}

/**
 * Saves all tracked and untracked files of a worktree, never ignored ones, as a commit under a new ref. The user's
 * index, branch and reflog don't change; no hook runs, nothing is signed, and no identity is needed. Line endings and
 * filters are applied as by git itself, so a restore writes what a checkout would write.
 */
export async function takeSnapshot(
  git: Git,
  worktree: string,
  ref: string,
  message: string,
  { last = null, maxFileBytes = MAX_FILE_BYTES, serialise = atOnce }: SnapshotOptions = {},
): Promise<Snapshot> {
  return withTemporaryIndex(git, worktree, async (own): Promise<Snapshot> => {
    const [files, commits] = await Promise.all([
      allFiles(own, worktree, maxFileBytes),
      readCommits(git, worktree, last),
    ]);
    if (files.kind === 'refused') return files;
    const { tree, leftOut } = files;
    const commit = await snapshotCommit(git, worktree, files, message, commits);
    if (typeof commit !== 'string') return commit;
    if (commit === commits.last?.commit) return { kind: 'unchanged', commit, leftOut };
    const moved = await serialise(() => moveRef(git, worktree, ref, commit, null, 'snapshot'));
    if (moved.ok) return { kind: 'taken', commit, tree, leftOut };
    const why = await whyFailed(moved, `can't create the ref ${ref} for the snapshot`);
    return why.why === 'git_failed' ? refused('ref_taken', why.message) : why;
  });
}

/** Returns whether the files and the index of a worktree equal those of a snapshot; false if they can't be compared. */
export async function equalsSnapshot(git: Git, worktree: string, snapshot: string): Promise<boolean> {
  const same = await withTemporaryIndex(git, worktree, async (own) => {
    const [files, commits] = await Promise.all([
      allFiles(own, worktree, MAX_FILE_BYTES),
      readCommits(git, worktree, snapshot),
    ]);
    if (files.kind !== 'files' || commits.last === null) return false;
    return (await snapshotCommit(git, worktree, files, 'compared', commits)) === commits.last.commit;
  });
  return same === true;
}
