import { mkdir, realpath, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ProcessIdentity, readIdentity } from '#protocol/process-identity.ts';
import type { Git, GitAnswer } from '../plumbing/git.ts';
import { lineOf, quietly } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';
import type { Serialise } from '../plumbing/serialise.ts';
import { withoutLfs } from '../plumbing/without-lfs.ts';
import { newId } from '../../clock/identity.ts';
import { liveness } from '../../process/process-identity.ts';
import { worktreesFolder } from '../worktrees/worktree-place.ts';
import { checkouts } from './checkouts.ts';

/** A checkout of a big repository takes its time. */
export const CHECKOUT_MS = 600_000;

/** Beside the sessions of a repository, and not among them: the name of a session ends with its id. */
export const scratchesFolder = (repository: string): string => path.join(worktreesFolder(repository), 'scratch');

const LOCK_PREFIX = 'robosmith-merge ';

/** Whose scratch worktree it is; null: none of ours, whatever its place. */
function ownerOf(locked: string | null): ProcessIdentity | null {
  if (locked?.startsWith(LOCK_PREFIX) !== true) return null;
  try {
    const told: unknown = JSON.parse(locked.slice(LOCK_PREFIX.length));
    return typeof told === 'object' && told !== null ? readIdentity({ ...told }) : null;
  } catch {
    return null;
  }
}

/** Twice: it is locked, by us. */
const remove = (git: Git, repository: string, folder: string) =>
  quietly(git, repository, ['worktree', 'remove', '--force', '--force', folder], { timeoutMs: CHECKOUT_MS });

const isOver = (owner: ProcessIdentity | null): boolean => owner !== null && liveness.isAlive(owner) === 'dead';

/** What merges that were cut off have left in the scratch folder; how many it was. */
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

/** Of a sparse checkout, and said to each git: settings in the repository would be there for all its worktrees. */
const SPARSE = ['-c', 'core.sparseCheckout=true', '-c', 'core.sparseCheckoutCone=false', '-c', 'index.sparse=false'];

/** What git itself reads while it merges. */
const READ_BY_GIT = '.gitattributes\n';

/** All is in the index, and next to nothing in the folder: a big repository takes seconds to write out. */
async function fillIndex(git: Git, folder: string): Promise<GitAnswer> {
  const named = await git(folder, ['rev-parse', '--path-format=absolute', '--git-path', 'info/sparse-checkout']);
  if (!named.ok) return named;
  const patterns = lineOf(named);
  await mkdir(path.dirname(patterns), { recursive: true });
  await writeFile(patterns, READ_BY_GIT);
  return quietly(git, folder, ['read-tree', '--reset', '-u', 'HEAD'], { timeoutMs: CHECKOUT_MS });
}

export interface Scratch {
  readonly repository: string;
  readonly scratchFolder: string;
  readonly commit: string;
  /** Without its files git merges as well; what else runs there may need them. */
  readonly hasFiles: boolean;
  readonly serialise: Serialise;
}

/** Work in a worktree of its own at a commit, on no branch; it is gone afterwards, whatever happened. */
export async function withScratch<Value>(
  git: Git,
  { repository, scratchFolder, commit, hasFiles, serialise }: Scratch,
  work: (folder: string, git: Git) => Promise<Value>,
): Promise<Value | Refusal> {
  const trouble = await mkdir(scratchFolder, { recursive: true }).then(
    () => null,
    (thrown: unknown) => String(thrown),
  );
  if (trouble !== null) return refused('git_failed', `no scratch worktree could be made: ${trouble}`);
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
    return made.ok ? await work(folder, own) : await whyFailed(made, 'no scratch worktree could be made');
  } finally {
    await serialise(() => remove(git, repository, folder));
    // Unless another merge is at work in it.
    await rmdir(scratchFolder).catch(() => undefined);
  }
}
