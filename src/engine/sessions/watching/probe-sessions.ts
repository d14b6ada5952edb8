import type { Dirty } from '#io/git/plumbing/changed-files.ts';
import { commitOf, tipsOf } from '#io/git/plumbing/quiet-git.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { type ProbeCache, probeMerges } from '#io/git/plumbing/merge-probe.ts';
import type { Refusal } from '#io/git/plumbing/refusal.ts';
import { workCommit } from '#io/git/plumbing/work-commit.ts';
import type { SessionId } from '#protocol/id.ts';
import { hasEnded, type PairConflict, type Session } from '#protocol/session.ts';
import { commitPairs, type WorkCommits } from './pair-semantics.ts';
import { limitConcurrency } from '#protocol/limit-concurrency.ts';

/** Returns whether a session may have work that can conflict with others. */
export const isProbed = (session: Session): boolean => !hasEnded(session) && session.base !== null;

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
  const tipOf = tipsOf(git, root);
  const moved = await limitConcurrency(sessions, GITS_AT_ONCE, async ({ id, base, baseBranch }) => {
    const [head, tip] = [heads.get(id), await tipOf(baseBranch)];
    if (head === undefined || tip === null || tip === base?.commit) return null;
    const { ok } = await git(root, ['merge-base', '--is-ancestor', tip, head]);
    return ok ? null : ([id, tip] as const);
  });
  return new Map(moved.filter((one) => one !== null));
}

/**
 * Returns the commits of the sessions that have work: changes of their files, or commits that their base lacks. Commits
 * whose changes cancel each other out can conflict too.
 */
export async function headsAtWork(
  sessions: readonly Session[],
  heads: ReadonlyMap<SessionId, string>,
  git: Git,
  root: string,
): Promise<ReadonlyMap<SessionId, string>> {
  const tipOf = tipsOf(git, root);
  const own = await limitConcurrency(sessions, GITS_AT_ONCE, async ({ id, base, baseBranch, changed }) => {
    const head = heads.get(id);
    if (head === undefined) return null;
    if (changed.length > 0) return [id, head] as const;
    const tip = await tipOf(baseBranch);
    if (head === base?.commit || head === tip) return null;
    const isIn = tip !== null && (await git(root, ['merge-base', '--is-ancestor', head, tip])).ok;
    return isIn ? null : ([id, head] as const);
  });
  return new Map(own.filter((one) => one !== null));
}

/** The conflicts that were found. `isWhole` is false if a pair could not be compared. */
type Probed =
  { readonly kind: 'probed'; readonly conflicts: readonly PairConflict[]; readonly isWhole: boolean } | Refusal;

/** Returns the pairs of sessions, and of a session and its base, whose work would conflict when merged. */
export async function probeSessions(work: WorkCommits, git: Git, root: string, cache: ProbeCache): Promise<Probed> {
  const pairs = commitPairs(work);
  if (pairs.length === 0) return { kind: 'probed', conflicts: [], isWhole: true };
  const verdicts = await probeMerges(git, root, pairs, cache);
  if ('kind' in verdicts) return verdicts;
  const conflicts = pairs.flatMap(({ sessions }, index): readonly PairConflict[] => {
    const verdict = verdicts[index];
    return verdict?.kind === 'conflict' ? [{ sessions, files: verdict.files, hunks: verdict.hunks }] : [];
  });
  return { kind: 'probed', conflicts, isWhole: verdicts.every(({ kind }) => kind !== 'refused') };
}
