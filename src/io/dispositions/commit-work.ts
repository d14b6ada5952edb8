import { commitOf, lineOf, moveRef, quietly, zeroSplit } from '../git/quiet-git.ts';
import type { Git } from '../git/git.ts';
import { type Refusal, refused, whyFailed, whyNoCommit } from '../git/refusal.ts';
import { withTemporaryIndex } from '../git/temporary-index.ts';

export interface CommittedWork {
  readonly kind: 'committed';
  /** The same as `before` when there was nothing to commit. */
  readonly commit: string;
  readonly before: string;
  /** What the index had. */
  readonly indexTree: string;
}

/** The worktree is on its branch, and nothing is half done in it; null: it is so. */
async function whyNotReady(git: Git, worktree: string, branch: string): Promise<Refusal | null> {
  const on = await git(worktree, ['symbolic-ref', '--quiet', 'HEAD']);
  if (!on.ok && on.code !== 1) return whyFailed(on, `${worktree} is not as it should be`);
  if (lineOf(on) !== `refs/heads/${branch}`) {
    const now = on.ok ? lineOf(on) : 'a detached HEAD';
    return refused('branch_elsewhere', `${worktree} is on ${now}, not on ${branch}; check out ${branch} there first`);
  }
  const unmerged = await git(worktree, ['diff', '--name-only', '--diff-filter=U', '-z']);
  const files = zeroSplit(unmerged.out);
  if (files.length > 0) return refused('merge_under_way', 'conflicts are not resolved in the worktree', files);
  for (const [ref, what] of [
    ['MERGE_HEAD', 'a merge'],
    ['CHERRY_PICK_HEAD', 'a cherry-pick'],
    ['REVERT_HEAD', 'a revert'],
  ] as const)
    if ((await commitOf(git, worktree, ref)) !== null)
      return refused('merge_under_way', `${what} is under way in the worktree; conclude or abort it first`);
  return null;
}

async function repositoriesInside(git: Git, worktree: string): Promise<Refusal | null> {
  const listed = await git(worktree, ['ls-files', '-z', '--others', '--exclude-standard']);
  const found = zeroSplit(listed.out).filter((name) => name.endsWith('/'));
  if (found.length === 0) return null;
  return refused(
    'work_not_saved',
    'there is a repository of its own inside, which git would not commit; move it away or ignore it',
    found,
  );
}

/**
 * Commits all that is not committed in a session's worktree, as a person's own `git commit` would: with his identity and signature, and
 * with the repository's hooks, which may refuse (but for `hooks: false`). The index is as before when it is refused.
 */
export async function commitWork(
  git: Git,
  worktree: string,
  branch: string,
  message: string,
  hooks: boolean,
): Promise<CommittedWork | Refusal> {
  const problem = (await whyNotReady(git, worktree, branch)) ?? (await repositoriesInside(git, worktree));
  if (problem !== null) return problem;
  const before = await commitOf(git, worktree, 'HEAD');
  if (before === null) return refused('missing', `${branch} has no commit yet`);
  const committed = await withTemporaryIndex(
    git,
    worktree,
    async (own, env): Promise<CommittedWork | Refusal> => {
      const indexTree = lineOf(await own(['write-tree']));
      const added = await own(['add', '--all', '--sparse', '--no-ignore-errors', '--', '.']);
      if (!added.ok) return whyFailed(added, 'the work was not committed');
      const same = await own(['diff-index', '--cached', '--quiet', 'HEAD', '--']);
      if (same.ok) return { kind: 'committed', commit: before, before, indexTree };
      const args = ['commit', '-q', '-F', '-', '--cleanup=whitespace', ...(hooks ? [] : ['--no-verify'])];
      const done = await git(worktree, args, { input: message, env });
      const commit = await commitOf(git, worktree, 'HEAD');
      // What a hook does after the commit does not undo it.
      if (commit === null || commit === before) return whyNoCommit(done, 'the work was not committed');
      return { kind: 'committed', commit, before, indexTree };
    },
    'as it is',
  );
  if (committed.kind === 'refused' || committed.commit === before) return committed;
  const reset = await quietly(git, worktree, ['reset', '-q']);
  return reset.ok ? committed : whyFailed(reset, 'the work is committed, but the index is not up to date');
}

/** Takes the commit back, and leaves the files as they are and the index as it was. */
export async function takeBackCommit(
  git: Git,
  worktree: string,
  branch: string,
  { commit, before, indexTree }: CommittedWork,
): Promise<void> {
  if (commit === before) return;
  const moved = await moveRef(git, worktree, `refs/heads/${branch}`, before, commit, 'not merged');
  if (moved.ok) await quietly(git, worktree, ['reset', '-q', indexTree, '--', '.']);
}
