import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../../clock/identity.ts';
import { createGit } from '../plumbing/git.ts';
import { processes } from '../../process/process.ts';
import { type Refusal, whyFailed } from '../plumbing/refusal.ts';
import type { ReadOnlyRepository } from './open-repository.ts';

const FETCH_MS = 300_000;

/** Returns variables by which git keeps the limits of a shallow clone in the temporary folder. */
async function shallowFile({ common, objects, isShallow }: ReadOnlyRepository) {
  if (!isShallow) return {};
  const copy = path.join(objects.folder, `shallow-${newId(4)}`);
  await copyFile(path.join(common, 'shallow'), copy);
  return { GIT_SHALLOW_FILE: copy };
}

/**
 * Fetches refs of the remote `origin` into the temporary objects, without a ref, a tag or any other change of the
 * repository. This uses the network, with the user's own login.
 */
export async function fetchCommits(repository: ReadOnlyRepository, refs: readonly string[]): Promise<Refusal | null> {
  const { folder, objects } = repository;
  if (refs.length === 0) return null;
  const quiet = ['-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'];
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--refmap='];
  const env = { ...objects.variables, ...(await shallowFile(repository)) };
  const fetched = await createGit(processes)(folder, [...quiet, ...args, '--', 'origin', ...refs], {
    env,
    timeoutMs: FETCH_MS,
  });
  return fetched.ok ? null : whyFailed(fetched, "can't fetch the pull requests");
}
