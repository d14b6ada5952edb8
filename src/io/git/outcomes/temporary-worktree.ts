import { mkdir, realpath, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ProcessIdentity, readIdentity } from '#protocol/process-identity.ts';
import type { Git, GitAnswer } from '../plumbing/git.ts';
import { lineOf, quietly } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';
import type { Serialise } from '../../files/serialise.ts';
import { withoutLfs } from '../plumbing/without-lfs.ts';
import { newId } from '../../clock/identity.ts';
import { liveness } from '../../process/process-identity.ts';
import { worktreesFolder } from '../worktrees/worktree-place.ts';
import { checkouts } from '../plumbing/list-checkouts.ts';

/** The timeout of a checkout in milliseconds, long enough for a big repository. */
export const CHECKOUT_MS = 600_000;

/**
 * Returns the folder for scratch worktrees, beside those of the sessions. Its name can't collide with the folder of a
 * session, whose name ends with an id.
 */
export const scratchesFolder = (repository: string): string => path.join(worktreesFolder(repository), 'scratch');

const LOCK_PREFIX = 'robosmith-merge ';

/**
 * Returns the process that made a scratch worktree, from the lock reason; null if the worktree wasn't made by this
 * code.
 */
function ownerOf(locked: string | null): ProcessIdentity | null {
  if (locked?.startsWith(LOCK_PREFIX) !== true) return null;
  try {
    const owner: unknown = JSON.parse(locked.slice(LOCK_PREFIX.length));
    return typeof owner === 'object' && owner !== null ? readIdentity({ ...owner }) : null;
  } catch {
    return null;
  }
}

/** Removes a scratch worktree. The engine has locked it, so git requires `--force` twice. */
const remove = (git: Git, repository: string, folder: string) =>
  quietly(git, repository, ['worktree', 'remove', '--force', '--force', folder], { timeoutMs: CHECKOUT_MS });

const isOver = (owner: ProcessIdentity | null): boolean => owner !== null && liveness.isAlive(owner) === 'dead';

/** Removes the scratch worktrees of interrupted merges; returns their number. */
export async function removeScratches(
  git: Git,
  repository: string,
  scratchFolder: string,
  isLeft: (owner: ProcessIdentity | null) => boolean = () => true,
): Promise<number> {
  const all = await checkouts(git, repository);
  if ('kind' in all) return 0;
  const parent = await realpath(scratchFolder).catch(() => path.normalize(scratchFolder));
  const left = all.filter((one) => path.dirname(path.normalize(one.path)) === parent && isLeft(ownerOf(one.locked)));
  for (const { path: folder } of left) await remove(git, repository, folder);
  return left.length;
}

/**
 * Settings of a sparse checkout, passed to each git command, since settings in the repository would apply to all its
 * worktrees.
 */
const SPARSE = ['-c', 'core.sparseCheckout=true', '-c', 'core.sparseCheckoutCone=false', '-c', 'index.sparse=false'];

/** The only files that git itself reads from the folder during a merge. */
const READ_BY_GIT = '.gitattributes\n';

/**
 * Fills the index with all files and writes almost none of them to disk, which would take seconds in a big repository.
 */
async function fillIndex(git: Git, folder: string): Promise<GitAnswer> {
  const named = await git(folder, ['rev-parse', '--path-format=absolute', '--git-path', 'info/sparse-checkout']);
  if (!named.ok) return named;
  const patterns = lineOf(named);
  await mkdir(path.dirname(patterns), { recursive: true });
  await writeFile(patterns, READ_BY_GIT);
  return quietly(git, folder, ['read-tree', '--reset', '-u', 'HEAD'], { timeoutMs: CHECKOUT_MS });
}

interface Scratch {
  readonly repository: string;
  readonly scratchFolder: string;
  readonly commit: string;
  /**
   * Whether all files are checked out in the scratch worktree. Git can merge without them, but hooks and tests may need
   * them.
   */
  readonly hasFiles: boolean;
  readonly serialise: Serialise;
}

/** Runs `work` in a new worktree at a commit, without a branch, and removes the worktree afterwards in any case. */
export async function withScratch<Value>(
  git: Git,
  { repository, scratchFolder, commit, hasFiles, serialise }: Scratch,
  work: (folder: string, git: Git) => Promise<Value>,
): Promise<Value | Refusal> {
  const trouble = await mkdir(scratchFolder, { recursive: true }).then(
    () => null,
    (thrown: unknown) => String(thrown),
  );
  if (trouble !== null) return refused('git_failed', `can't create a temporary worktree: ${trouble}`);
  const folder = path.join(scratchFolder, newId(6));
  const plain = await withoutLfs(git, repository);
  const own: Git = hasFiles ? plain : (directory, args, options) => plain(directory, [...SPARSE, ...args], options);
  try {
    const lock = ['--lock', '--reason', LOCK_PREFIX + JSON.stringify(liveness.self)];
    const add = ['worktree', 'add', '-q', '--detach', ...(hasFiles ? [] : ['--no-checkout']), ...lock, folder, commit];
    const added = await serialise(async () => {
      await removeScratches(git, repository, scratchFolder, isOver);
      return quietly(own, repository, add, { timeoutMs: CHECKOUT_MS });
    });
    const made = added.ok && !hasFiles ? await fillIndex(own, folder) : added;
    return made.ok ? await work(folder, own) : await whyFailed(made, "can't create a temporary worktree");
  } finally {
    await serialise(() => remove(git, repository, folder));
    // This fails if another merge is using the folder.
    await rmdir(scratchFolder).catch(() => undefined);
  }
}
