import { leftOutOf, writeTree } from './all-files.ts';
import type { Dirty } from './changed-files.ts';
import type { Git } from './git.ts';
import { commitOf, zeroSplit } from './quiet-git.ts';
import { type Refusal, refused, whyFailed } from './refusal.ts';
import { makeCommit, MAX_FILE_BYTES, NO_TIME } from './snapshot.ts';
import { type IndexGit, withTemporaryIndex } from './temporary-index.ts';

type WorkCommit = { readonly kind: 'commit'; readonly commit: string } | Refusal;

/**
 * Options of `git update-index` that stage files in their current state, including deletions and files that replace
 * folders.
 */
const TAKE = ['--add', '--remove', '--replace', '--ignore-skip-worktree-entries'];

/** Returns the changed and deleted files among those that were hidden from `git status`. */
async function hiddenWork(
  git: IndexGit,
  hidden: readonly string[],
): Promise<Pick<Dirty, 'changed' | 'gone'> | Refusal> {
  if (hidden.length === 0) return { changed: [], gone: [] };
  const listed = await git(['diff-files', '-z', '--name-status']);
  if (!listed.ok) return whyFailed(listed, "can't list the changed files");
  const parts = zeroSplit(listed.out);
  const of = (isGone: boolean): readonly string[] =>
    parts.filter((_, index) => index % 2 === 1 && (parts[index - 1] === 'D') === isGone);
  return { changed: of(false), gone: of(true) };
}

/** Stages the uncommitted files in the temporary index without scanning other files. Returns null on success. */
async function putWork(
  git: IndexGit,
  worktree: string,
  dirty: Dirty,
  hidden: readonly string[],
): Promise<Refusal | null> {
  const more = await hiddenWork(git, hidden);
  if ('kind' in more) return more;
  const leftOut = (await leftOutOf(worktree, dirty.untracked, MAX_FILE_BYTES)).map((one) => one.path);
  const untracked = dirty.untracked.filter((name) => !leftOut.includes(name));
  const update = async (how: readonly string[], names: readonly string[]): Promise<Refusal | null> => {
    const input = names.map((name) => `${name}\0`).join('');
    const updated = names.length === 0 ? null : await git(['update-index', '-z', ...how, '--stdin'], { input });
    return updated?.ok === false ? whyFailed(updated, "can't save the files") : null;
  };
  const failed = await update(['--force-remove'], [...dirty.gone, ...more.gone]);
  return failed ?? update(TAKE, [...dirty.changed, ...more.changed, ...untracked]);
}

/**
 * Returns a commit with the current content of a worktree: HEAD if nothing is uncommitted, else a commit without a ref,
 * which git removes by itself later. The same work always gives the same commit.
 */
export async function workCommit(git: Git, worktree: string, dirty: Dirty): Promise<WorkCommit> {
  const head = await commitOf(git, worktree, 'HEAD');
  if (dirty.files.length === 0)
    return head === null ? refused('missing', `${worktree} has no commit`) : { kind: 'commit', commit: head };
  return withTemporaryIndex(git, worktree, async (own, _, hidden): Promise<WorkCommit> => {
    const failed = await putWork(own, worktree, dirty, hidden);
    if (failed !== null) return failed;
    const tree = await writeTree(own);
    if (typeof tree !== 'string') return tree;
    const parents = head === null ? [] : [head];
    const commit = await makeCommit(git, worktree, tree, parents, 'work under way', NO_TIME);
    return typeof commit === 'string' ? { kind: 'commit', commit } : commit;
  });
}
