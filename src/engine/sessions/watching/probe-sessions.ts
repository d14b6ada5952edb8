import type { Dirty } from '#io/git/plumbing/changed-files.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { type MergePair, type ProbeCache, probeMerges } from '#io/git/plumbing/merge-probe.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import type { Refusal } from '#io/git/plumbing/refusal.ts';
import { workCommit } from '#io/git/plumbing/work-commit.ts';
import type { SessionId } from '#protocol/id.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import { limitConcurrency } from '../model/limit-concurrency.ts';

/** Returns whether a session has work that can conflict with others. */
export const isProbed = ({ state, base, changed }: Session): boolean =>
  state !== 'merged' && state !== 'discarded' && base !== null && changed.length > 0;

/** The maximum number of parallel git processes, each of which reads a worktree. */
export const GITS_AT_ONCE = 8;

/**
 * Returns a commit of the session's work so far, or its last commit if its folder can't be read; null if its branch is
 * gone.
 */
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

/**
 * Returns the tips of the bases that have commits which a session's work lacks, by session: the base has moved since
 * the session began or was updated.
 */
export async function movedBases(
  sessions: readonly Session[],
  heads: ReadonlyMap<SessionId, string>,
  git: Git,
  root: string,
): Promise<ReadonlyMap<SessionId, string>> {
  const tips = new Map<string, Promise<string | null>>();
  const tipOf = (branch: string): Promise<string | null> => {
    const known = tips.get(branch) ?? commitOf(git, root, `refs/heads/${branch}`);
    tips.set(branch, known);
    return known;
  };
  const moved = await limitConcurrency(sessions, GITS_AT_ONCE, async ({ id, base, baseBranch }) => {
    const [head, tip] = [heads.get(id), await tipOf(baseBranch)];
    if (head === undefined || tip === null || tip === base?.commit) return null;
    const { ok } = await git(root, ['merge-base', '--is-ancestor', tip, head]);
    return ok ? null : ([id, tip] as const);
  });
  return new Map(moved.filter((one) => one !== null));
}

type Probed = { readonly kind: 'probed'; readonly conflicts: readonly PairConflict[] } | Refusal;

/** Returns the pairs of sessions whose work would conflict when merged. */
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
