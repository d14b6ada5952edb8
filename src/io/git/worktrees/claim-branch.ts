import type { SessionId } from '#protocol/id.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { ListedWorktree, WorktreeRefusal } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { gitTrouble, refused, type GitTroubleReason } from './git-refusal.ts';
import { branchCommit, commitOf } from './resolve-base.ts';

export type BranchReason =
  | ('bad_branch_name' | 'branch_exists' | 'branch_missing' | 'branch_checked_out' | 'branch_blocked')
  | 'base_missing'
  | GitTroubleReason;

/** The origin of a worktree's branch: a new branch at the commit `base`, or an existing branch. */
export type BranchStart = { readonly kind: 'new'; readonly base: string } | { readonly kind: 'attach' };

export interface ClaimedBranch {
  readonly commit: string;
  /**
   * Deletes the branch if the claim created it and it has not moved. Resolves to true if no branch of the claim is
   * left.
   */
  release(): Promise<boolean>;
}

interface BranchQuestion {
  readonly repository: string;
  readonly branch: string;
  readonly start: BranchStart;
  readonly session: SessionId;
}

/** The facts about a branch before it is claimed. */
interface BranchFound {
  readonly isName: boolean;
  /** The commit to start the branch from; null if there is no such commit. */
  readonly commit: string | null;
}

/** The reflog message by which a branch is recognised as the session's own. */
const logOf = (session: SessionId): string => `robosmith: session ${session} begins`;

/**
 * Deletes a branch that an earlier, killed attempt has created: the branch's reflog then contains only our own message.
 */
async function deleteCreatedBranch(
  git: Git,
  { repository, session }: BranchQuestion,
  ref: string,
  commit: string,
): Promise<void> {
  const log = await git(repository, ['reflog', 'show', '--format=%gs', ref, '--']);
  if (log.ok && log.out.trimEnd() === logOf(session)) await git(repository, ['update-ref', '-d', ref, commit]);
}

/**
 * Creates the branch with one `update-ref` that fails if the branch exists, so that only one of several concurrent
 * calls succeeds.
 */
async function make(
  git: Git,
  question: BranchQuestion,
  base: string,
  commit: string | null,
): Promise<ClaimedBranch | WorktreeRefusal<BranchReason>> {
  const { repository, branch } = question;
  const ref = `refs/heads/${branch}`;
  if (commit === null)
    return refused('base_missing', `There is no commit "${base}" to start from. Choose another base`);
  const made = await git(repository, ['update-ref', '--create-reflog', '-m', logOf(question.session), ref, commit, '']);
  if (!made.ok) {
    if (/reference already exists/.test(made.err))
      return refused('branch_exists', `The branch "${branch}" already exists. Attach it, or choose another name`);
    if (/nonexistent object/.test(made.err))
      return refused('base_missing', `There is no commit "${base}" to start from. Choose another base`);
    const blocking = /'refs\/heads\/([^']+)' exists; cannot create/.exec(made.err)?.[1];
    if (blocking !== undefined)
      return refused(
        'branch_blocked',
        `The branch "${branch}" can't be created, because the branch "${blocking}" is in the way: \`git branch -m ${shellWord(blocking)} <other name>\` renames it`,
      );
    await deleteCreatedBranch(git, question, ref, commit);
    return gitTrouble(`Creating the branch "${branch}"`, made);
  }
  return {
    commit,
    release: async () => (await git(repository, ['update-ref', '-d', ref, commit])).ok,
  };
}

function attach(
  { branch }: BranchQuestion,
  commit: string | null,
  worktrees: readonly ListedWorktree[],
): ClaimedBranch | WorktreeRefusal<BranchReason> {
  if (commit === null)
    return refused('branch_missing', `The branch "${branch}" does not exist, so it can't be attached`);
  const holder = worktrees.find((one) => one.branch === branch);
  if (holder !== undefined) return checkedOut(branch, holder);
  return { commit, release: () => Promise.resolve(true) };
}

function checkedOut(branch: string, { path, isThere }: ListedWorktree): WorktreeRefusal<'branch_checked_out'> {
  const next = isThere
    ? 'check out another branch there first'
    : `that folder is missing; remove its entry with \`git worktree remove --force --force "${path}"\``;
  return refused('branch_checked_out', `The branch "${branch}" is checked out in ${path}: ${next}`);
}

/** Returns whether git refused because another worktree uses the branch. A rebase or a bisect also uses it. */
export const isUsedElsewhere = (text: string): boolean =>
  /is already (?:checked out|used by worktree) at|is already being (?:bisected|rebased)/.test(text);

/** Matches a full hash, which need not be resolved again. If no object has this hash, creating the branch fails. */
const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Matches branch names that sessions generate. They are valid, so git need not check them. */
const OWN_NAME = /^robosmith\/[a-z0-9]+(?:-[a-z0-9]+)*$/;

async function isBranchName(git: Git, repository: string, branch: string): Promise<boolean> {
  const named = await git(repository, ['check-ref-format', `refs/heads/${branch}`]);
  return named.ok && !branch.startsWith('-') && branch !== 'HEAD';
}

/** Looks up a branch and its start commit, without changing anything. */
export async function findBranch(git: Git, { repository, branch, start }: BranchQuestion): Promise<BranchFound> {
  const [isName, commit] = await Promise.all([
    OWN_NAME.test(branch) || isBranchName(git, repository, branch),
    start.kind === 'attach'
      ? branchCommit(git, repository, branch)
      : HASH.test(start.base)
        ? start.base
        : commitOf(git, repository, start.base),
  ]);
  return { isName, commit };
}

/** Claims a branch for a worktree: creates a new one, or attaches an existing one that no worktree uses. */
export async function claimBranch(
  git: Git,
  question: BranchQuestion,
  { isName, commit }: BranchFound,
  worktrees: readonly ListedWorktree[],
): Promise<ClaimedBranch | WorktreeRefusal<BranchReason>> {
  const { branch, start } = question;
  if (!isName)
    return refused(
      'bad_branch_name',
      `"${branch}" is not a valid branch name. Git does not allow spaces, "..", "~", "^" or ":"`,
    );
  return start.kind === 'attach' ? attach(question, commit, worktrees) : make(git, question, start.base, commit);
}
