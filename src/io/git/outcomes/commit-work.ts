import { isNamedAsSecret } from '#protocol/outbound.ts';
import { commitOf, lineOf, moveRef, quietly, zeroSplit } from '../plumbing/quiet-git.ts';
import { writeTree } from '../plumbing/all-files.ts';
import type { Git } from '../plumbing/git.ts';
import { type Refusal, refused, whyFailed, whyNoCommit } from '../plumbing/refusal.ts';
import { type IndexGit, withTemporaryIndex } from '../plumbing/temporary-index.ts';
import { branchElsewhere, lostBranch } from './branch-state.ts';
import { type HasKey, whyKnownKey } from './known-keys.ts';
import { putIndex } from './put-index.ts';

/** The uncommitted work of a session. */
interface WorkToCommit {
  readonly worktree: string;
  readonly branch: string;
  /** The name of the branch that the session started from. */
  readonly base: string;
  readonly message: string;
  /** False skips the hooks that may refuse a commit. */
  readonly hooks: boolean;
  readonly hasKey: HasKey;
  /** The tree that the user has agreed to; other work is refused. Null or absent: any work. */
  readonly expected?: string | null;
}

interface CommittedWork {
  readonly kind: 'committed';
  /** The new commit; the same as `before` if there was nothing to commit. */
  readonly commit: string;
  readonly before: string;
  /** The tree of the index before the commit. */
  readonly indexTree: string;
}

/** Returns null if the worktree is on its branch with no merge, cherry-pick or revert in progress; else a refusal. */
async function whyNotReady(git: Git, worktree: string, branch: string): Promise<Refusal | null> {
  const on = await git(worktree, ['symbolic-ref', '--quiet', 'HEAD']);
  if (!on.ok && on.code !== 1) return whyFailed(on, `can't read the branch of ${worktree}`);
  if (lineOf(on) !== `refs/heads/${branch}`) return branchElsewhere(git, worktree, on.ok ? lineOf(on) : null, branch);
  const unmerged = await git(worktree, ['diff', '--name-only', '--diff-filter=U', '-z']);
  const files = zeroSplit(unmerged.out);
  if (files.length > 0) return refused('merge_under_way', 'the worktree has unresolved conflicts', files);
  for (const [ref, what] of [
    ['MERGE_HEAD', 'a merge'],
    ['CHERRY_PICK_HEAD', 'a cherry-pick'],
    ['REVERT_HEAD', 'a revert'],
  ] as const)
    if ((await commitOf(git, worktree, ref)) !== null)
      return refused('merge_under_way', `${what} is in progress in the worktree. Finish or abort it first`);
  return null;
}

/**
 * Refuses if there are nested repositories, which git would not commit, or new files whose names suggest that they hold
 * secrets. Only the user may commit those.
 */
async function whyNotAll(git: Git, worktree: string): Promise<Refusal | null> {
  const untracked = zeroSplit((await git(worktree, ['ls-files', '-z', '--others', '--exclude-standard'])).out);
  const repositories = untracked.filter((name) => name.endsWith('/'));
  if (repositories.length > 0)
    return refused(
      'work_not_saved',
      'the worktree contains another repository, which git would not commit. Move it away, or add it to .gitignore',
      repositories,
    );
  const staged = await git(worktree, ['diff', '--cached', '--name-only', '--no-renames', '--diff-filter=A', '-z']);
  const secrets = [...untracked, ...zeroSplit(staged.out)].filter(isNamedAsSecret);
  if (secrets.length === 0) return null;
  return refused(
    'work_not_saved',
    'the worktree has new files whose names suggest secrets. Add them to .gitignore, move them away, or commit them in the worktree yourself',
    secrets,
  );
}

const ADD_ALL = ['add', '--all', '--sparse', '--no-ignore-errors', '--', '.'];

/** Returns the tree that `commitWork` would commit before hooks change it. Neither files nor the index change. */
export function workTree(git: Git, worktree: string): Promise<string | Refusal> {
  const read = async (own: IndexGit): Promise<string | Refusal> => {
    const added = await own(ADD_ALL);
    return added.ok ? writeTree(own) : whyFailed(added, "can't read the work");
  };
  return withTemporaryIndex(git, worktree, read, 'as it is');
}

/** Refuses if the staged work is not the expected tree. Names the files that differ. */
async function whyOtherWork(git: Git, worktree: string, expected: string | null): Promise<Refusal | null> {
  if (expected === null) return null;
  const staged = await writeTree((args, options) => quietly(git, worktree, args, options));
  if (typeof staged !== 'string') return staged;
  if (staged === expected) return null;
  const names = await git(worktree, ['diff-tree', '-r', '--name-only', '--no-renames', '-z', expected, staged, '--']);
  return refused('work_changed', WORK_CHANGED, zeroSplit(names.out));
}

export const WORK_CHANGED = 'The work has changed since it was shown. Look at the changes, and merge again';

/** Restores the index after a commit was refused. If that fails, all changes stay staged, so nothing is lost. */
async function afterRestoring(git: Git, worktree: string, why: Refusal, copy: string): Promise<Refusal> {
  const named = await git(worktree, ['rev-parse', '--path-format=absolute', '--git-path', 'index']);
  if (named.ok && (await putIndex(copy, lineOf(named)))) return why;
  return refused(
    why.why,
    `${why.message}\nall changes are staged now, because the index could not be restored`,
    why.files,
  );
}

/**
 * Commits all uncommitted changes in a session's worktree, like a person's own `git add --all` and `git commit`: with
 * the user's identity and signature, and with the repository's hooks, which may refuse (unless `hooks` is false). After
 * a refusal the index is as before. Even if this is interrupted, the index is never older than the branch: otherwise
 * the user's next commit would revert the work.
 */
export async function commitWork(
  git: Git,
  { worktree, branch, base, message, hooks, hasKey, expected = null }: WorkToCommit,
): Promise<CommittedWork | Refusal> {
  const problem =
    (await whyNotReady(git, worktree, branch)) ??
    (await whyNotAll(git, worktree)) ??
    (await whyKnownKey(git, worktree, base, hasKey));
  if (problem !== null) return problem;
  const before = await commitOf(git, worktree, 'HEAD');
  if (before === null) return lostBranch(git, worktree, branch);
  const keepsIndex = async (own: IndexGit, env: Readonly<Record<string, string>>): Promise<CommittedWork | Refusal> => {
    const written = await own(['write-tree']);
    if (!written.ok) return whyFailed(written, 'the work was not committed');
    const indexTree = lineOf(written);
    const added = await quietly(git, worktree, ADD_ALL);
    if (!added.ok) return whyFailed(added, 'the work was not committed');
    const copy = env['GIT_INDEX_FILE'] ?? '';
    const other = await whyOtherWork(git, worktree, expected);
    if (other !== null) return afterRestoring(git, worktree, other, copy);
    const same = await quietly(git, worktree, ['diff-index', '--cached', '--quiet', 'HEAD', '--']);
    if (same.ok) return { kind: 'committed', commit: before, before, indexTree };
    const args = ['commit', '-q', '-F', '-', '--cleanup=whitespace', ...(hooks ? [] : ['--no-verify'])];
    const done = await git(worktree, args, { input: message });
    const commit = await commitOf(git, worktree, 'HEAD');
    // A hook that fails after the commit doesn't undo it.
    if (commit !== null && commit !== before) return { kind: 'committed', commit, before, indexTree };
    return afterRestoring(git, worktree, await whyNoCommit(done, 'the work was not committed'), copy);
  };
  return withTemporaryIndex(git, worktree, keepsIndex, 'as it is');
}

/** Undoes the commit and restores the index. The files don't change. */
export async function rollBackCommit(
  git: Git,
  worktree: string,
  branch: string,
  { commit, before, indexTree }: CommittedWork,
): Promise<void> {
  if (commit !== before) {
    const moved = await moveRef(git, worktree, `refs/heads/${branch}`, before, commit, 'not merged');
    if (!moved.ok) return;
  }
  await quietly(git, worktree, ['reset', '-q', indexTree, '--', '.']);
}
