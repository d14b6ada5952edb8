import type { Dirty } from '#io/git/plumbing/changed-files.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { type MergePair, type ProbeCache, probeMerges } from '#io/git/plumbing/merge-probe.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import type { Refusal } from '#io/git/plumbing/refusal.ts';
import { workCommit } from '#io/git/plumbing/work-commit.ts';
import type { SessionId } from '#protocol/id.ts';
import type { PairConflict, Session } from '#protocol/session.ts';

/** Has it work that can meet the work of others? */
export const isProbed = ({ state, base, changed }: Session): boolean =>
  state !== 'merged' && state !== 'discarded' && base !== null && changed.length > 0;

/** Each looks at the files of a worktree. */
export const GITS_AT_ONCE = 8;

/** What a session has done so far, as a commit: what it has committed, where its folder can't be read; null when its branch is gone, too. */
export async function headOf(
  { worktree, branch }: Session,
  dirty: Dirty | null,
  git: Git,
  root: string,
): Promise<string | null> {
  const found = worktree === null || dirty === null ? null : await workCommit(git, worktree, dirty).catch(() => null);
  if (found === null) return commitOf(git, root, `refs/heads/${branch}`);
  return found.kind === 'commit' ? found.commit : null;
}

export type Probed = { readonly kind: 'probed'; readonly conflicts: readonly PairConflict[] } | Refusal;

/** The pairs of sessions whose work, merged, would be in conflict (spec/worktrees.md "Textual clash of work done"). */
export async function probeSessions(
  heads: ReadonlyMap<SessionId, string>,
  git: Git,
  root: string,
  cache: ProbeCache,
): Promise<Probed> {
  const all = [...heads];
  const pairs = all.flatMap(([one, ours], index) =>
    all
      .slice(index + 1)
      .map(([other, theirs]): MergePair & Pick<PairConflict, 'sessions'> => ({ sessions: [one, other], ours, theirs })),
  );
  if (pairs.length === 0) return { kind: 'probed', conflicts: [] };
  const verdicts = await probeMerges(git, root, pairs, cache);
  if ('kind' in verdicts) return verdicts;
  const conflicts = pairs.flatMap(({ sessions }, index): readonly PairConflict[] => {
    const verdict = verdicts[index];
    return verdict?.kind === 'conflict' ? [{ sessions, files: verdict.files, hunks: verdict.hunks }] : [];
  });
  return { kind: 'probed', conflicts };
}
