import type { OperationDone, SessionRefusal } from '#actors/session/index.ts';
import { isAncestor, mergeSession, type MergeRequest } from '#io/git/outcomes/merge-session.ts';
import type { ForkPoint } from '#io/git/outcomes/rewound-base.ts';
import { scratchesFolder } from '#io/git/outcomes/temporary-worktree.ts';
import { MERGING } from '#io/git/plumbing/kept-refs.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { commitOf, moveRef } from '#io/git/plumbing/quiet-git.ts';
import type { Serialise } from '#io/files/serialise.ts';
import { realPath } from '#io/files/real-path.ts';
import { locateRepository } from '#io/git/worktrees/prepare-repository.ts';
import { removeWorktree } from '#io/git/worktrees/remove-worktree.ts';
import { worktreePlace } from '#io/git/worktrees/worktree-place.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { MergeChoices } from '#protocol/session-api.ts';
import { blockingIgnoredPatterns } from '../creation/blocking-ignored-patterns.ts';
import { type SessionPlaceParts, whyNoFolder } from '../model/session-place.ts';
import { tearDown } from '../creation/tear-down.ts';
import { unresolvedUpdate } from './unresolved-update.ts';
import { verifier } from './verify-merge.ts';

/**
 * Returns the sessions' repository, even if their base branches are gone, and the main checkout that their commands
 * see.
 */
export async function repositoryOf({
  git,
  root,
}: Pick<SessionPlaceParts, 'git' | 'root'>): Promise<
  { readonly ok: true; readonly place: string; readonly main: string } | SessionRefusal
> {
  const located = await locateRepository(git, root);
  if (located.kind === 'refused') return { ok: false, why: located.message };
  const { main, common } = located;
  return { ok: true, place: main ?? (await realPath(common)), main: main ?? root };
}

/** Returns the commit message; its trailer identifies the session. */
export const messageOf = ({ title, id }: Session, own: string | null): string =>
  `${own ?? title}\n\nRobosmith-Session: ${id}`;

/** Says that a worktree stays because somebody else made it. */
export const keptInPlace = (worktree: string): string =>
  `its worktree ${worktree} stays, because it existed before the session`;

const keptIn = ({ recovery }: { readonly recovery: string | null }): readonly string[] =>
  recovery === null
    ? []
    : [`the commits of its branch are kept for 30 days: \`git branch <name> ${recovery}~1\` restores them`];

/**
 * Returns whether the branch has commits that its base commit lacks. If the current base contains all of them, they
 * were merged elsewhere, for example by a pull request.
 */
async function hasCommits({ base, branch }: Session, { git, root }: SessionPlaceParts): Promise<boolean> {
  if (base === null) return false;
  const own = await git(root, ['rev-list', '--max-count=1', `${base.commit}..refs/heads/${branch}`, '--']);
  return own.ok && own.out !== '';
}

/**
 * Returns the tests for the merged files, or null if none are run. Refuses if tests that were not requested are not
 * trusted and the base has moved.
 */
async function testsFor(
  session: Session,
  verify: MergeChoices['verify'],
  { place, main }: { readonly place: string; readonly main: string },
  parts: SessionPlaceParts,
) {
  if (verify === false) return null;
  const tests = await verifier(session, main, verify === true, parts);
  if (verify === true || tests === null || !('why' in tests)) return tests;
  const { baseBranch, branch } = session;
  return (await isAncestor(parts.git, place, `refs/heads/${baseBranch}`, `refs/heads/${branch}`)) ? null : tests;
}

/**
 * Returns where the session started; null if its base was changed since, so that the session did not start from the
 * current base.
 */
export const forkOf = ({ base, baseBranch, createdAt }: Session): ForkPoint | null =>
  base === null || base.branch !== baseBranch ? null : { commit: base.commit, time: createdAt };

/**
 * Says how the merge gets to the base's remote. Whether that remote takes a push of the base, or only pull requests, is
 * known to the remote alone.
 */
export async function publishNotes(
  { baseBranch, branch }: Pick<Session, 'baseBranch' | 'branch'>,
  place: string,
  git: Git,
): Promise<readonly string[]> {
  const named = await git(place, ['for-each-ref', '--format=%(upstream:remotename)', `refs/heads/${baseBranch}`]);
  const remote = named.out.trim();
  if (!named.ok || remote === '') return [];
  const push = (what: string): string => `\`git push ${shellWord(remote)} ${shellWord(what)}\``;
  return [
    `${baseBranch} is merged here only: ${push(baseBranch)} publishes it. If ${remote} takes only pull requests there, ${push(`${baseBranch}:refs/heads/${branch}`)} pushes it as a branch for one; next time, robosmith sessions push --pr does that before a merge`,
  ];
}

/** Merges the session's work into its base, then removes worktree and branch unless they hold more work. */
export async function mergeWork(
  session: Session,
  { strategy, message, verify, tree = null }: MergeChoices,
  parts: SessionPlaceParts,
  serialise: Serialise,
): Promise<OperationDone | SessionRefusal> {
  const { git, hasKey } = parts;
  const gone = whyNoFolder(session, parts);
  if (gone !== null) return gone;
  const found = await repositoryOf(parts);
  if (!found.ok) return found;
  const unresolved = await unresolvedUpdate(session, parts);
  if (unresolved !== null) return unresolved;
  const tests = await testsFor(session, verify, found, parts);
  if (tests !== null && 'why' in tests) return tests;
  const request: MergeRequest = {
    repository: found.place,
    base: session.baseBranch,
    branch: session.branch,
    fork: forkOf(session),
    worktree: session.worktree,
    onBuilt: (commit) => recordMerge(session.id, commit, found.place, git),
    tree,
    strategy,
    message: messageOf(session, message),
    scratchFolder: scratchesFolder(found.place),
    serialise,
    ...(hasKey === undefined ? {} : { hasKey }),
    ...(tests === null ? {} : { verify: tests.verify, onlyWhenMoved: verify !== true }),
  };
  const ignored = await blockingIgnoredPatterns(session.job, parts.root);
  const merged = await mergeSession(git, request);
  const isThere = merged.kind === 'refused' && merged.why === 'nothing_to_merge' && (await hasCommits(session, parts));
  if (merged.kind === 'refused' && !isThere)
    return { ok: false, why: merged.message, files: merged.files, code: merged.why };
  const notes = [
    merged.kind === 'refused'
      ? `${session.baseBranch} already contains all of it`
      : `${session.baseBranch} is at ${merged.commit.slice(0, 10)} now, it was at ${merged.from.slice(0, 10)}`,
  ];
  if (merged.kind === 'merged') notes.push(...(await publishNotes(session, found.place, git)));
  const result = merged.kind === 'merged' ? { merged: { from: merged.from, commit: merged.commit } } : {};
  return { ok: true, ...result, notes: [...notes, ...(await removeMerged(session, found, ignored, parts))] };
}

/**
 * Removes the worktree and branch of a merged session unless they hold more work. `ignored`: the patterns of ignored
 * files that count as work, as they were before the merge. Returns what stays, and why.
 */
export async function removeMerged(
  session: Session,
  found: { readonly place: string; readonly main: string },
  ignored: readonly string[],
  parts: SessionPlaceParts,
): Promise<readonly string[]> {
  const { git, processes, now } = parts;
  if (session.isWorktreeKept && session.worktree !== null) return [keptInPlace(session.worktree)];
  const torn = await tearDown(session, found.main, parts);
  // A session without a worktree needs this call as well, because the call also removes the session's branch. It gets
  // the default path of its worktree.
  const worktree = session.worktree ?? worktreePlace(found.place, session.title, session.id);
  const removed = await removeWorktree(git, processes, {
    repository: found.place,
    worktree,
    session: session.id,
    branch: session.branch,
    base: session.baseBranch,
    ignored,
    now: now(),
    deletesBranch: !session.isAttached,
    force: false,
  });
  return removed.kind === 'removed'
    ? [...torn, ...keptIn(removed), ...removed.kept, ...removed.leftovers]
    : [...torn, `its worktree was kept: ${removed.message}; fix that, then \`robosmith worktrees clean\` removes it`];
}

/** Records the commit that the base is about to be moved to, for `isMerged`. */
export async function recordMerge(id: SessionId, commit: string, place: string, git: Git): Promise<void> {
  const before = await commitOf(git, place, MERGING + id);
  const kept = await moveRef(git, place, MERGING + id, commit, before, 'merging');
  if (!kept.ok) throw new RoboSmithError('refused', `the merge was not started: ${kept.err}`);
}

/** Removes the ref, once the result of the merge is stored. */
export async function forgetMerge(
  id: SessionId,
  { git, root }: Pick<SessionPlaceParts, 'git' | 'root'>,
): Promise<void> {
  const built = await commitOf(git, root, MERGING + id);
  if (built !== null) await moveRef(git, root, MERGING + id, null, built, 'merged');
}

/** Returns after a crash whether the base contains the result of the merge. */
export async function isMerged(session: Session, { git, root }: SessionPlaceParts): Promise<boolean> {
  const built = await commitOf(git, root, MERGING + session.id);
  if (built === null) return false;
  return (await git(root, ['merge-base', '--is-ancestor', built, `refs/heads/${session.baseBranch}`])).ok;
}
