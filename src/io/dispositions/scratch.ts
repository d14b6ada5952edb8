import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../git/git.ts';
import { quietly } from '../git/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../git/refusal.ts';
import type { Serialise } from '../git/serialise.ts';
import { newId } from '../identity.ts';
import { checkouts } from './checkouts.ts';

/** A checkout of a big repository takes its time. */
export const CHECKOUT_MS = 600_000;

const remove = (git: Git, repository: string, folder: string) =>
  quietly(git, repository, ['worktree', 'remove', '--force', '--force', folder], { timeoutMs: CHECKOUT_MS });

/** Work in a checkout of its own of a commit, on no branch; it is gone afterwards, whatever happened. */
export async function withScratch<Value>(
  git: Git,
  repository: string,
  scratchFolder: string,
  commit: string,
  serialise: Serialise,
  work: (folder: string) => Promise<Value>,
): Promise<Value | Refusal> {
  const trouble = await mkdir(scratchFolder, { recursive: true }).then(
    () => null,
    (thrown: unknown) => String(thrown),
  );
  if (trouble !== null) return refused('git_failed', `no scratch worktree could be made: ${trouble}`);
  const folder = path.join(scratchFolder, newId(6));
  try {
    const args = ['worktree', 'add', '-q', '--detach', folder, commit];
    const made = await serialise(() => quietly(git, repository, args, { timeoutMs: CHECKOUT_MS }));
    return made.ok ? await work(folder) : await whyFailed(made, 'no scratch worktree could be made');
  } finally {
    await serialise(() => remove(git, repository, folder));
  }
}

/** What merges that were cut off have left in the scratch folder, which holds nothing else; how many it was. */
export async function removeScratches(git: Git, repository: string, scratchFolder: string): Promise<number> {
  const all = await checkouts(git, repository);
  const left = 'kind' in all ? [] : all.filter((one) => path.dirname(path.normalize(one.path)) === scratchFolder);
  for (const { path: folder } of left) await remove(git, repository, folder);
  return left.length;
}
