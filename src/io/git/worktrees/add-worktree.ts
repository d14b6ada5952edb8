import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { SessionId } from '#protocol/id.ts';
import { type ListedWorktree, lockReason, type Note, type WorktreeRefusal } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { worktreeEntry } from '../plumbing/worktree-entry.ts';
import { lacksLfs } from '../plumbing/without-lfs.ts';
import { realPath } from '../../files/real-path.ts';
import { isInside } from '../../files/safe-path.ts';
import { gitFoldersOf } from '../plumbing/git-folders.ts';
import { checkNames } from './check-names.ts';
import { checkOut, type CheckOutReason } from './check-out.ts';
import { type BranchStart, type BranchReason, claimBranch, type ClaimedBranch, findBranch } from './claim-branch.ts';
import { type FolderClaim, claimFolder, type FolderReason } from './claim-folder.ts';
import { findLeftSubmoduleWork } from './find-submodule-work.ts';
import { gitRefused, refused } from './git-refusal.ts';
import { keepHeads } from './keep-heads.ts';
import { listWorktrees } from './list-worktrees.ts';
import { submodulesOf } from './prepare-repository.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { checkRelativePath } from '../../files/path-rules.ts';

/**
 * Returns null if each folder of a sparse checkout is a relative path below the top, else a refusal. A name that begins
 * with `-` is refused, since git would parse it as an option.
 */
function checkSparse(folders: readonly string[]): WorktreeRefusal<'bad_sparse'> | null {
  for (const folder of folders) {
    if (folder.startsWith('-'))
      return refused('bad_sparse', `"sparse" names "${folder}", but a folder name must not begin with "-"`);
    try {
      checkRelativePath(folder);
    } catch (thrown) {
      if (RoboSmithError.is(thrown, 'unsafe_path')) return refused('bad_sparse', `"sparse": ${thrown.message}`);
      throw thrown;
    }
  }
  return null;
}

/** The timeout of a checkout in milliseconds, long enough for a big repository. It also ends a hook that hangs. */
const TIMEOUT_MS = 600_000;

export interface NewWorktree {
  /** The main worktree, or the folder of a bare repository. */
  readonly repository: string;
  /** The absolute path of the new worktree, outside of every other worktree. */
  readonly path: string;
  /** The branch name without `refs/heads/`. */
  readonly branch: string;
  readonly start: BranchStart;
  /** The folders of a sparse checkout; empty to check out all files. */
  readonly sparse: readonly string[];
  readonly session: SessionId;
  /** The repository's worktrees, if the caller has just listed them. */
  readonly worktrees?: readonly ListedWorktree[];
  readonly timeoutMs?: number;
  readonly platform?: NodeJS.Platform;
}

type AddReason =
  BranchReason | FolderReason | CheckOutReason | 'inside_worktree' | 'path_registered' | 'branch_moved' | 'bad_sparse';

export type AddResult =
  | {
      readonly kind: 'made';
      /** The worktree's path as git names it, with symbolic links resolved. */
      readonly path: string;
      /** The commit that the branch starts at. */
      readonly commit: string;
      readonly notes: readonly Note[];
    }
  /** `leftovers` names the worktree, folder or branch that could not be rolled back. */
  | (WorktreeRefusal<AddReason> & { readonly leftovers: readonly string[] });

const nothingLeft = (why: WorktreeRefusal<AddReason>): AddResult => ({ ...why, leftovers: [] });

const realPlace = async (place: string): Promise<string> =>
  path.join(await realPath(path.dirname(place)), path.basename(place));

/**
 * Deregisters this session's own worktree if its folder is gone, so that it can be created again. Refuses if work in
 * its submodules would be lost. Returns the remaining worktrees.
 */
async function forgetOwn(git: Git, what: NewWorktree): Promise<readonly ListedWorktree[] | WorktreeRefusal<AddReason>> {
  const { repository, session } = what;
  const listed = what.worktrees ?? (await listWorktrees(git, repository));
  if ('kind' in listed && listed.kind === 'refused') return listed;
  const worktrees = 'kind' in listed ? listed.worktrees : listed;
  const real = await realPlace(what.path);
  const own = worktrees.find((one) => one.path === real && !one.isThere && one.locked === lockReason(session));
  if (own === undefined) return worktrees;
  const [left] = await findLeftSubmoduleWork(git, repository, real);
  if (left !== undefined) return refused('path_registered', `The folder ${real} is missing. ${left.message}`);
  const entry = await worktreeEntry(git, repository, real);
  const kept =
    entry !== null && typeof entry !== 'string' ? entry : await keepHeads(git, { repository, entry, name: session });
  if (kept !== null && 'kind' in kept) return refused('path_registered', kept.message);
  const removed = await git(repository, ['worktree', 'remove', '--force', '--force', '--', real]);
  return removed.ok
    ? worktrees.filter((one) => one !== own)
    : gitRefused(`Removing the entry of the missing worktree ${real}`, removed);
}

async function placeProblem(
  place: string,
  worktrees: readonly ListedWorktree[],
): Promise<WorktreeRefusal<AddReason> | null> {
  const real = await realPlace(place);
  const same = worktrees.find((one) => one.path === real);
  if (same !== undefined)
    return refused(
      'path_registered',
      same.isThere
        ? `${real} is already a worktree`
        : `Git still lists a worktree at ${real}, whose folder is missing. Remove the entry with \`git worktree remove --force --force "${real}"\``,
    );
  const around = worktrees.find((one) => !one.isBare && isInside(one.path, real));
  if (around === undefined) return null;
  return refused(
    'inside_worktree',
    `${real} is inside the worktree ${around.path}, where every tool would see its files twice. Choose a folder outside of it`,
  );
}

/**
 * Removes the folder, branch and worktree registration that this call created, and nothing else. Returns those that
 * could not be removed.
 */
async function rollBack(
  git: Git,
  what: NewWorktree,
  folder: FolderClaim,
  branch: ClaimedBranch,
): Promise<readonly string[]> {
  const { repository } = what;
  const left: string[] = [];
  const listed = await listWorktrees(git, repository);
  if (listed.kind === 'listed' && listed.worktrees.some((one) => one.path === folder.path)) {
    // The engine has locked the worktree, so git requires `--force` twice.
    const removed = await git(repository, ['worktree', 'remove', '--force', '--force', '--', folder.path]);
    if (!removed.ok) left.push(`the worktree ${folder.path}`);
  }
  left.push(...(await folder.release()));
  if (left.length > 0 || !(await branch.release())) left.push(`the branch ${what.branch}`);
  return left;
}

/** Returns whether the worktree is on its branch; the hook `post-checkout` may have checked out another one. */
async function isWhereItShouldBe(git: Git, place: string, branch: string): Promise<boolean> {
  const folders = await gitFoldersOf(place);
  const text = folders === null ? '' : await readFile(path.join(folders.own, 'HEAD'), 'utf8').catch(() => '');
  if (text.trimEnd() === `ref: refs/heads/${branch}`) return true;
  const head = await git(place, ['symbolic-ref', '--quiet', 'HEAD']);
  return head.out.trim() === `refs/heads/${branch}`;
}

async function make(
  git: Git,
  what: NewWorktree,
  folder: FolderClaim,
  { commit, lfs }: { readonly commit: string; readonly lfs: Promise<boolean> },
): Promise<AddResult | WorktreeRefusal<AddReason>> {
  const { repository, branch, timeoutMs = TIMEOUT_MS, platform = process.platform } = what;
  const question = { commit, place: folder.path, folder: path.dirname(folder.path), platform };
  const names = await checkNames(git, repository, question);
  if ('kind' in names) return names;
  const isWithoutLfs = await lfs;
  const asked = submodulesOf(git, repository, commit);
  // Prevents an unhandled rejection. A failure to read the submodules is handled after the checkout, since nothing may
  // be rolled back during a checkout.
  asked.catch(() => undefined);
  const notes = await checkOut(git, { ...what, path: folder.path, isWithoutLfs, timeoutMs });
  if ('kind' in notes) return notes;
  if (!(await isWhereItShouldBe(git, folder.path, branch)))
    return refused(
      'branch_moved',
      `A hook has checked out a branch other than "${branch}" in the new worktree ${folder.path}`,
    );
  const submodules = await asked;
  const without = `The worktree lacks these submodules: ${submodules.join(', ')}. Add \`git submodule update --init\` to "setup" to check them out`;
  const more = submodules.length === 0 ? [] : [{ why: 'submodules', message: without }];
  return { kind: 'made', path: folder.path, commit, notes: [...names, ...notes, ...more] };
}

/** Adds a worktree with its branch. If this fails, rolls back everything that was created. */
export async function addWorktree(git: Git, what: NewWorktree): Promise<AddResult> {
  const { repository, branch: name, start, session } = what;
  const question = { repository, branch: name, start, session };
  const lfs = lacksLfs(git, repository);
  // Prevents an unhandled rejection. A failure to read the LFS settings is handled where the result is awaited.
  lfs.catch(() => undefined);
  const [worktrees, found] = await Promise.all([forgetOwn(git, what), findBranch(git, question)]);
  if ('kind' in worktrees) return nothingLeft(worktrees);
  const problem = checkSparse(what.sparse) ?? (await placeProblem(what.path, worktrees));
  if (problem !== null) return nothingLeft(problem);
  const branch = await claimBranch(git, question, found, worktrees);
  if ('kind' in branch) return nothingLeft(branch);
  const folder = await claimFolder(what.path);
  if ('kind' in folder) return { ...folder, leftovers: (await branch.release()) ? [] : [`the branch ${name}`] };
  const made = await make(git, what, folder, { commit: branch.commit, lfs }).catch(async (thrown: unknown) => {
    await rollBack(git, what, folder, branch);
    throw thrown;
  });
  if (made.kind === 'made') return made;
  return { ...made, leftovers: await rollBack(git, what, folder, branch) };
}
