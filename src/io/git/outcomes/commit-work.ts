import { isNamedAsSecret } from '#protocol/outbound.ts';
import { commitOf, lineOf, moveRef, quietly, zeroSplit } from '../plumbing/quiet-git.ts';
import type { Git, GitAnswer } from '../plumbing/git.ts';
import { type Refusal, refused, whyFailed, whyNoCommit } from '../plumbing/refusal.ts';
import { type IndexGit, withTemporaryIndex } from '../plumbing/temporary-index.ts';
import { branchElsewhere } from './branch-elsewhere.ts';
import { lostBranch } from './lost-branch.ts';
import { putIndex } from './put-index.ts';

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

/** Restores the index after a commit was refused. If that fails, all changes stay staged, so nothing is lost. */
async function whyRefused(git: Git, worktree: string, answer: GitAnswer, copy: string): Promise<Refusal> {
  const why = await whyNoCommit(answer, 'the work was not committed');
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
  worktree: string,
  branch: string,
  message: string,
  hooks: boolean,
): Promise<CommittedWork | Refusal> {
  const problem = (await whyNotReady(git, worktree, branch)) ?? (await whyNotAll(git, worktree));
  if (problem !== null) return problem;
  const before = await commitOf(git, worktree, 'HEAD');
  if (before === null) return lostBranch(git, worktree, branch);
  const keepsIndex = async (own: IndexGit, env: Readonly<Record<string, string>>): Promise<CommittedWork | Refusal> => {
    const written = await own(['write-tree']);
    if (!written.ok) return whyFailed(written, 'the work was not committed');
    const indexTree = lineOf(written);
    const add = ['add', '--all', '--sparse', '--no-ignore-errors', '--', '.'];
    const added = await quietly(git, worktree, add);
    if (!added.ok) return whyFailed(added, 'the work was not committed');
    const same = await quietly(git, worktree, ['diff-index', '--cached', '--quiet', 'HEAD', '--']);
    if (same.ok) return { kind: 'committed', commit: before, before, indexTree };
    const args = ['commit', '-q', '-F', '-', '--cleanup=whitespace', ...(hooks ? [] : ['--no-verify'])];
    const done = await git(worktree, args, { input: message });
    const commit = await commitOf(git, worktree, 'HEAD');
    // A hook that fails after the commit doesn't undo it.
    if (commit !== null && commit !== before) return { kind: 'committed', commit, before, indexTree };
    return whyRefused(git, worktree, done, env['GIT_INDEX_FILE'] ?? '');
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
