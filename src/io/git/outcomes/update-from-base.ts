import { dirtyFiles } from '../plumbing/changed-files.ts';
import type { Git, GitAnswer } from '../plumbing/git.ts';
import { markedByMerge, WITH_MARKERS } from '../plumbing/marked-by-merge.ts';
import { commitOf, lineOf, zeroSplit } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, tail, whyFailed, whyNoCommit } from '../plumbing/refusal.ts';
import { takeSnapshot } from '../plumbing/snapshot.ts';
import { withoutLfs } from '../plumbing/without-lfs.ts';
import { branchElsewhere } from './branch-state.ts';
import { type Conflict, conflictsIn } from './conflicts.ts';
import { lostByMerge } from './lost-by-merge.ts';
import { CHECKOUT_MS } from './temporary-worktree.ts';
import { unresolvedConflicts } from './unresolved-conflicts.ts';
import { rollBackInterrupted } from './roll-back-interrupted.ts';

interface UpdateRequest {
  readonly worktree: string;
  /** Branch names without `refs/heads/`. */
  readonly branch: string;
  readonly base: string;
  /** The ref under which uncommitted work is saved first. If null, an update with uncommitted work is refused. */
  readonly snapshotRef: string | null;
}

export type BaseUpdate =
  | { readonly kind: 'updated'; readonly commit: string }
  | { readonly kind: 'up_to_date'; readonly commit: string }
  /** The merge has conflicts. They are left in the worktree, to be resolved there and committed, or aborted. */
  | { readonly kind: 'conflicts'; readonly conflicts: readonly Conflict[] }
  | Refusal;

const PLAIN = ['-c', 'rerere.enabled=false', '-c', 'merge.autoStash=false'];

/** The options of `git merge` that override settings such as `merge.ff` and `branch.<name>.mergeOptions`. */
const WHOLLY = ['--ff', '--no-squash', '--commit', '--no-autostash', '--no-overwrite-ignore', '--no-edit'];

const isMerging = async (git: Git, worktree: string): Promise<boolean> =>
  (await commitOf(git, worktree, 'MERGE_HEAD')) !== null;

async function whyNotReady(git: Git, { worktree, branch, base, snapshotRef }: UpdateRequest): Promise<Refusal | null> {
  const on = lineOf(await git(worktree, ['symbolic-ref', '--quiet', 'HEAD']));
  if (on !== `refs/heads/${branch}`) return branchElsewhere(git, worktree, on === '' ? null : on, branch);
  if (await isMerging(git, worktree))
    return refused('merge_under_way', 'a merge is in progress in the worktree. Finish or abort it first');
  const unmerged = await git(worktree, ['diff', '--name-only', '--diff-filter=U', '-z']);
  const open = [...new Set(zeroSplit(unmerged.out))];
  if (open.length > 0) {
    const what = "the worktree has conflicts that don't come from a merge, for example from git stash pop";
    return refused('merge_under_way', `${what}. Resolve them, run \`git add\` on the files, and update again`, open);
  }
  if ((await commitOf(git, worktree, `refs/heads/${base}`)) === null)
    return refused('missing', `there is no branch ${base} here`);
  const lost = await lostByMerge(git, worktree, `refs/heads/${base}`);
  if ('kind' in lost) return lost;
  if (lost.length > 0) {
    const what = `the update would overwrite untracked files, because ${base} has files with the same names`;
    return refused('checkout_blocked', `${what}. Move or commit them, and update again`, lost);
  }
  const dirty = await dirtyFiles(git, worktree);
  if (dirty.kind === 'refused') return dirty;
  if (dirty.files.length === 0) return null;
  if (snapshotRef === null) return refused('dirty', 'the worktree has uncommitted work. Commit it first', dirty.files);
  const saved = await takeSnapshot(git, worktree, snapshotRef, `before ${base} was merged into ${branch}`);
  return saved.kind === 'refused' ? saved : null;
}

/**
 * Rolls back a merge that has written conflict markers although git reports no conflict. Returns null if there are no
 * markers.
 */
async function rollBackMarked(
  git: Git,
  { worktree, base }: UpdateRequest,
  before: string,
  merged: string,
): Promise<Refusal | null> {
  const marked = await markedByMerge(git, worktree, { ours: before, theirs: `refs/heads/${base}` }, merged);
  const files = 'kind' in marked ? [] : marked;
  if (!('kind' in marked) && files.length === 0) return null;
  const back = await git(worktree, ['reset', '-q', '--keep', before]);
  if (!back.ok) return whyFailed(back, 'the update left conflict markers, and could not be rolled back');
  if ('kind' in marked) return marked;
  const next = `run \`git merge --no-commit ${base}\` in the worktree, remove the markers, and commit`;
  return refused('conflict', `${WITH_MARKERS}: ${next}`, files);
}

/**
 * Cleans up after git was killed or crashed during the merge. For example, git 2.39 crashes if both sides rename a
 * folder.
 */
async function afterKilled(git: Git, { worktree, base }: UpdateRequest, merged: GitAnswer): Promise<Refusal> {
  const isBack = await rollBackInterrupted(git, worktree, `refs/heads/${base}`);
  const what = isBack ? 'the worktree is unchanged' : `the worktree has uncommitted parts of ${base}`;
  const others = `. Update git, or run \`git -c merge.directoryRenames=false merge ${base}\` in the worktree`;
  const next = /^BUG: /m.test(merged.err) ? others : '';
  return refused(
    'git_failed',
    `git ended unexpectedly during the merge, and ${what}${next}\n${tail(merged.err)}`.trimEnd(),
  );
}

/**
 * Merges the current base into a session's branch, in the session's worktree, like a person's own `git merge`: with the
 * user's identity, signature and hooks. After a refusal the worktree is as before.
 */
export async function updateFromBase(plain: Git, request: UpdateRequest): Promise<BaseUpdate> {
  const { worktree, branch, base } = request;
  const git = await withoutLfs(plain, worktree);
  const refusal = await whyNotReady(git, request);
  if (refusal !== null) return refusal;
  const before = await commitOf(git, worktree, 'HEAD');
  const message = `Merge ${base} into ${branch}`;
  const args = [...PLAIN, 'merge', '-q', ...WHOLLY, '-m', message, `refs/heads/${base}`];
  const merged = await git(worktree, args, { timeoutMs: CHECKOUT_MS });
  const commit = await commitOf(git, worktree, 'HEAD');
  if (commit !== null && commit === before && merged.ok) return { kind: 'up_to_date', commit };
  if (commit !== null && before !== null && merged.ok)
    return (await rollBackMarked(git, request, before, commit)) ?? { kind: 'updated', commit };
  const conflicts = await conflictsIn(git, worktree);
  if ('kind' in conflicts) return conflicts;
  if (conflicts.length > 0) return { kind: 'conflicts', conflicts };
  // Either a hook or the signing failed after the merge was finished, or there is a conflict about the new location of
  // a folder, for which git lists no file.
  const isHalfDone = await isMerging(git, worktree);
  if (merged.code === null && !isHalfDone && commit === before) return afterKilled(git, request, merged);
  if (isHalfDone) await git(worktree, ['merge', '--abort']);
  const conflictLines = merged.out.split('\n').filter((line) => line.startsWith('CONFLICT '));
  if (isHalfDone && conflictLines.length > 0) {
    const next = `run \`git merge --no-commit ${base}\` in the worktree, move the files to the right folders, and commit`;
    return refused(
      'conflict',
      [`git can't decide in which folder some files belong: ${next}`, ...conflictLines].join('\n'),
    );
  }
  const files = [...merged.err.matchAll(/^\t(.+)$/gm)].map(([, file = '']) => file);
  if (files.length > 0) return refused('dirty', 'the merge would overwrite uncommitted work. Commit it first', files);
  return isHalfDone ? whyNoCommit(merged, 'the base was not merged') : whyFailed(merged, 'the base was not merged');
}

/**
 * Returns to the state before the update, after saving the work done so far under the rescue ref. `before` is the
 * commit to return to if the merge was already committed. If it is null, only a merge in progress can be aborted.
 */
export async function abortUpdate(
  plain: Git,
  worktree: string,
  rescueRef: string,
  before: string | null = null,
): Promise<{ readonly kind: 'aborted' } | Refusal> {
  const git = await withoutLfs(plain, worktree);
  const isInProgress = await isMerging(git, worktree);
  if (!isInProgress && before === null) return refused('missing', 'no merge is in progress in the worktree');
  const saved = await takeSnapshot(git, worktree, rescueRef, 'before an update was aborted');
  if (saved.kind === 'refused') return saved;
  const back = isInProgress || before === null ? ['merge', '--abort'] : ['reset', '-q', '--hard', before];
  const aborted = await git(worktree, back);
  return aborted.ok ? { kind: 'aborted' } : whyFailed(aborted, 'the update was not aborted');
}

/**
 * Commits an update whose conflicts were resolved, by editing the files or with `git add`. Refuses while one is
 * unresolved.
 */
export async function concludeUpdate(git: Git, worktree: string): Promise<BaseUpdate> {
  if (!(await isMerging(git, worktree))) return refused('missing', 'no merge is in progress in the worktree');
  const conflicts = await conflictsIn(git, worktree);
  if ('kind' in conflicts) return conflicts;
  const open = await unresolvedConflicts(git, worktree, conflicts);
  if (open.length > 0) {
    const listed = open.map(({ file, why }) => `${file}: ${why}`).join('\n');
    const next = 'resolve these conflicts, or run `git add` if the files are correct as they are';
    return refused(
      'conflict',
      `${next}:\n${listed}`,
      open.map(({ file }) => file),
    );
  }
  for (const { file } of conflicts) {
    const added = await git(worktree, ['add', '--all', '--sparse', '--', file]);
    if (!added.ok) return whyFailed(added, `can't mark ${file} as resolved`);
  }
  const done = await git(worktree, ['commit', '-q', '--no-edit', '--cleanup=strip']);
  const commit = await commitOf(git, worktree, 'HEAD');
  return done.ok && commit !== null ? { kind: 'updated', commit } : whyNoCommit(done, 'the update was not committed');
}
