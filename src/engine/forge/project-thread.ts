import { createGit } from '#io/git/plumbing/git.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import { forgePlace } from '#io/forge/pull-request-page.ts';
import { readThread } from '#io/forge/read-thread.ts';
import { processes } from '#io/process/process.ts';
import { type ForgeProblem, forgeProblem } from '#protocol/forge.ts';
import { type ForeignText, foreignText } from './foreign-text.ts';

const git = createGit(processes);

interface ThreadText extends ForeignText {
  readonly ok: true;
  /** The branch of a pull request; null for an issue. */
  readonly branch: string | null;
}

/** Reads an issue or a pull request of the project's remote `origin`, as the input of a run. */
export async function projectThread(
  root: string,
  kind: 'issue' | 'pull_request',
  number: number,
): Promise<ThreadText | ForgeProblem> {
  const named = await git(root, ['remote', 'get-url', '--', 'origin']);
  if (!named.ok)
    return forgeProblem('no_remote', 'there is no remote origin here. Add it with `git remote add origin <address>`');
  const place = forgePlace(named.out);
  const thread = await readThread(processes, { folder: root, place, kind, number });
  if (!thread.ok) return thread;
  if (thread.isForeign)
    return forgeProblem(
      'forge_failed',
      `the branch of pull request ${String(number)} is in another repository. Check it out yourself, then use --in . --input`,
    );
  const where = place === null ? '' : `${place.host}/${place.path}`;
  return { ok: true, branch: thread.branch, ...foreignText(thread, kind, where) };
}

const FETCH_MS = 600_000;

/** Creates a local branch from the one of `origin`, unless there is one of this name. Returns why that failed, or null. */
export async function fetchBranch(root: string, branch: string): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  if ((await commitOf(git, root, ref)) !== null) return null;
  const valid = await git(root, ['check-ref-format', ref]);
  if (!valid.ok) return 'its branch name is not valid';
  const fetched = await git(root, ['fetch', '--no-tags', '--', 'origin', `${ref}:${ref}`], { timeoutMs: FETCH_MS });
  return fetched.ok ? null : `its branch ${branch} could not be fetched: ${fetched.err.trim()}`;
}
