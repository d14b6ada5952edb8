import { DISCARDED } from '../git/discarded-refs.ts';
import type { Git } from '../git/git.ts';
import { moveRef } from '../git/quiet-git.ts';
import { type Refusal, whyFailed } from '../git/refusal.ts';
import { atOnce, type Serialise } from '../git/serialise.ts';

export interface DiscardedRef {
  readonly ref: string;
  readonly commit: string;
  /** When it was discarded, in milliseconds since the epoch; null: not known, and never pruned. */
  readonly at: number | null;
}

/** What was discarded and can be brought back, oldest first. */
export async function listDiscarded(git: Git, repository: string): Promise<readonly DiscardedRef[] | Refusal> {
  const format = '--format=%(refname)%00%(objectname)%00%(committerdate:unix)';
  const answer = await git(repository, ['for-each-ref', '--sort=committerdate', format, DISCARDED]);
  if (!answer.ok) return whyFailed(answer, 'what was discarded was not found');
  const lines = answer.out.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [ref = '', commit = '', seconds = ''] = line.split('\0');
    return { ref, commit, at: seconds === '' ? null : Number(seconds) * 1000 };
  });
}

export type Pruned = { readonly kind: 'pruned'; readonly refs: readonly DiscardedRef[] } | Refusal;

/** Lets go of what was discarded longer ago than this; git removes it when it next cleans up. */
export async function pruneDiscarded(
  git: Git,
  repository: string,
  olderThanMs: number,
  now: number,
  serialise: Serialise = atOnce,
): Promise<Pruned> {
  const all = await listDiscarded(git, repository);
  if ('kind' in all) return all;
  const refs: DiscardedRef[] = [];
  for (const one of all) {
    if (one.at === null || now - one.at < olderThanMs) continue;
    const gone = await serialise(() => moveRef(git, repository, one.ref, null, one.commit, 'pruned'));
    if (!gone.ok) return whyFailed(gone, `${one.ref} was not pruned`);
    refs.push(one);
  }
  return { kind: 'pruned', refs };
}
