import { statIfThere } from '#io/files/durable-file.ts';
import type { OperationDone, SessionRefusal } from '#actors/session/index.ts';
import { discardSession } from '#io/git/outcomes/discard-session.ts';
import { DISCARDED } from '#io/git/plumbing/kept-refs.ts';
import type { Serialise } from '#io/git/plumbing/serialise.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import { findWork } from '#io/git/worktrees/find-work.ts';
import { worktreePlace } from '#io/git/worktrees/worktree-place.ts';
import type { Session } from '#protocol/session.ts';
import type { DiscardChoices } from '#protocol/session-api.ts';
import { blockingIgnoredPatterns } from '../creation/blocking-ignored-patterns.ts';
import { repositoryOf } from './merge-work.ts';
import { tearDown } from '../creation/tear-down.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

const tipOf = ({ branch }: Session, { git, root }: SessionPlaceParts): Promise<string | null> =>
  commitOf(git, root, `refs/heads/${branch}`);

const isGone = ({ worktree }: Session, { calls }: SessionPlaceParts): boolean =>
  worktree === null || statIfThere(calls, worktree) === null;

/** Returns whether there is neither a branch nor a worktree. */
const isNothing = async (session: Session, parts: SessionPlaceParts): Promise<boolean> =>
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

/** Removes worktree and branch; a recovery ref keeps their content. Without force, only if no work would be lost. */
export async function discardWork(
  session: Session,
  { force }: DiscardChoices,
  parts: SessionPlaceParts,
  serialise: Serialise,
): Promise<OperationDone | SessionRefusal> {
  const { git, processes, now } = parts;
  if (await isNothing(session, parts)) return { ok: true, notes: [] };
  const found = await repositoryOf(parts);
  if (!found.ok) return found;
  const { worktree, branch, baseBranch: base } = session;
  const ignored = await blockingIgnoredPatterns(session.job, parts.root);
  if (!force) {
    const place = worktree ?? worktreePlace(found.place, session.title, session.id);
    const question = { repository: found.place, worktree: place, branch, base, ignored, now: now() };
    const work = await findWork(git, processes, question);
    const [first] = work.found;
    if (first !== undefined) return { ok: false, why: work.found.map(({ message }) => message).join('\n') };
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
