import type { Git } from '../plumbing/git.ts';
import { moveRef } from '../plumbing/quiet-git.ts';
import { type Refusal, whyFailed } from '../plumbing/refusal.ts';

export interface KeptRef {
  readonly ref: string;
  readonly commit: string;
  /**
   * The time at which the work was saved, in milliseconds since the epoch. Null if unknown; such a ref is never pruned.
   */
  readonly at: number | null;
  /** The subject line of the commit, which says why the work was saved. */
  readonly subject: string;
}

/** Lists the kept refs below the given prefixes, oldest first. */
export async function listKept(
  git: Git,
  repository: string,
  below: readonly string[],
): Promise<readonly KeptRef[] | Refusal> {
  const format = '--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents:subject)';
  const answer = await git(repository, ['for-each-ref', '--sort=committerdate', format, ...below]);
  if (!answer.ok) return whyFailed(answer, "can't list the saved work");
  const lines = answer.out.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [ref = '', commit = '', seconds = '', subject = ''] = line.split('\0');
    return { ref, commit, at: seconds === '' ? null : Number(seconds) * 1000, subject };
  });
}

/** Deletes a kept ref; git removes the objects at its next gc. Returns null on success. */
export async function pruneKept(git: Git, repository: string, { ref, commit }: KeptRef): Promise<Refusal | null> {
  const gone = await moveRef(git, repository, ref, null, commit, 'pruned');
  return gone.ok ? null : whyFailed(gone, `${ref} was not deleted`);
}
