import { mkdir, realpath, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { type ProcessIdentity, readIdentity } from '#protocol/process-identity.ts';
import type { Git } from '../git/git.ts';
import { quietly } from '../git/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../git/refusal.ts';
import type { Serialise } from '../git/serialise.ts';
import { withoutLfs } from '../git/without-lfs.ts';
import { newId } from '../identity.ts';
import { liveness } from '../process-identity.ts';
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

/** Work in a checkout of its own of a commit, on no branch; it is gone afterwards, whatever happened. */
export async function withScratch<Value>(
  git: Git,
  repository: string,
  scratchFolder: string,
  commit: string,
  serialise: Serialise,
  work: (folder: string, git: Git) => Promise<Value>,
): Promise<Value | Refusal> {
  const trouble = await mkdir(scratchFolder, { recursive: true }).then(
    () => null,
    (thrown: unknown) => String(thrown),
  );
  if (trouble !== null) return refused('git_failed', `no scratch worktree could be made: ${trouble}`);
  const folder = path.join(scratchFolder, newId(6));
  const own = await withoutLfs(git, repository);
  try {
    const lock = ['--lock', '--reason', LOCK_PREFIX + JSON.stringify(liveness.self)];
    const add = ['worktree', 'add', '-q', '--detach', ...lock, folder, commit];
    const made = await serialise(async () => {
      await removeScratches(git, repository, scratchFolder, isOver);
      return quietly(own, repository, add, { timeoutMs: CHECKOUT_MS });
    });
    return made.ok ? await work(folder, own) : await whyFailed(made, 'no scratch worktree could be made');
  } finally {
    await serialise(() => remove(git, repository, folder));
    // Unless another merge is at work in it.
    await rmdir(scratchFolder).catch(() => undefined);
  }
}
