import { statIfThere } from '#io/files/durable-file.ts';
import type { OperationDone, SessionRefusal } from '#actors/session/index.ts';
import { discardSession } from '#io/git/outcomes/discard-session.ts';
import { DISCARDED } from '#io/git/plumbing/kept-refs.ts';
import type { Serialise } from '#io/files/serialise.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import { findWork } from '#io/git/worktrees/find-work.ts';
import { worktreePlace } from '#io/git/worktrees/worktree-place.ts';
import type { Session } from '#protocol/session.ts';
import type { DiscardChoices } from '#protocol/session-api.ts';
import { blockingIgnoredPatterns } from '../creation/blocking-ignored-patterns.ts';
import { keptInPlace, repositoryOf } from './merge-work.ts';
import { tearDown } from '../creation/tear-down.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

const tipOf = ({ branch }: Session, { git, root }: Pick<SessionPlaceParts, 'git' | 'root'>): Promise<string | null> =>
  commitOf(git, root, `refs/heads/${branch}`);

const isGone = ({ worktree }: Session, { calls }: Pick<SessionPlaceParts, 'calls'>): boolean =>
  worktree === null || statIfThere(calls, worktree) === null;

/** Returns whether there is neither a branch nor a worktree. */
const isNothing = async (session: Session, parts: WorkParts): Promise<boolean> =>
  isGone(session, parts) && (await tipOf(session, parts)) === null;

/**
 * Continues an interrupted discard. If the worktree is gone, everything is stored in the recovery ref and only the
 * branch is removed; if it exists, it is removed only if no work would be lost, since it may have changed since the
 * confirmation.
 */
export async function goOnDiscarding(
  session: Session,
  parts: SessionPlaceParts,
  serialise: Serialise,
): Promise<OperationDone | SessionRefusal> {
  const { git, root } = parts;
  const tip = await tipOf(session, parts);
  const kept = await commitOf(git, root, `${DISCARDED}${session.id}^1`);
  return discardWork(session, { force: isGone(session, parts) && tip !== null && kept === tip }, parts, serialise);
}

async function workIn(
  { id, title, worktree, branch, baseBranch: base }: Session,
  repository: string,
  ignored: readonly string[],
  { git, processes, now }: WorkParts,
): Promise<readonly string[]> {
  const place = worktree ?? worktreePlace(repository, title, id);
  const question = { repository, worktree: place, branch, base, ignored, now: now() };
  return (await findWork(git, processes, question)).found.map(({ message }) => message);
}

type WorkParts = Pick<SessionPlaceParts, 'git' | 'processes' | 'root' | 'now' | 'calls'>;

/** Returns messages about the work that exists only in a session: a discard asks before it takes that away. */
export async function workOfSession(session: Session, parts: WorkParts): Promise<readonly string[]> {
  if (session.isWorktreeKept || (await isNothing(session, parts))) return [];
  const found = await repositoryOf(parts);
  if (!found.ok) return [];
  return workIn(session, found.place, await blockingIgnoredPatterns(session.job, parts.root), parts);
}

/** Removes worktree and branch; a recovery ref keeps their content. Without force, only if no work would be lost. */
export async function discardWork(
  session: Session,
  { force }: DiscardChoices,
  parts: SessionPlaceParts,
  serialise: Serialise,
): Promise<OperationDone | SessionRefusal> {
  const { git } = parts;
  if (await isNothing(session, parts)) return { ok: true, notes: [] };
  const found = await repositoryOf(parts);
  if (!found.ok) return found;
  const { worktree, branch } = session;
  // Branch and worktree existed before the session, so nothing is removed.
  if (session.isWorktreeKept && worktree !== null)
    return {
      ok: true,
      notes: [...(isGone(session, parts) ? [] : [keptInPlace(worktree)]), `its branch ${branch} stays`],
    };
  const ignored = await blockingIgnoredPatterns(session.job, parts.root);
  if (!force) {
    const lost = await workIn(session, found.place, ignored, parts);
    if (lost.length > 0) return { ok: false, why: lost.join('\n') };
  }
  const notes = await tearDown(session, found.main, parts);
  const gone = await discardSession(git, {
    repository: found.place,
    session: session.id,
    branch,
    worktree,
    keepBranch: session.isAttached,
    ignored,
    serialise,
  });
  if (gone.kind === 'refused') return { ok: false, why: gone.message, files: gone.files, code: gone.why };
  const back = `robosmith sessions restore ${session.id} restores it within 30 days`;
  return { ok: true, notes: [...notes, ...gone.leftovers, `${branch} was at ${gone.tip.slice(0, 10)}; ${back}`] };
}
