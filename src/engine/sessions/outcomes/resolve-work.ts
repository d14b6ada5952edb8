import { afterUpdate, type OperationDone, type SessionRefusal } from '#actors/session/index.ts';
import { concludeResolved } from '#io/git/outcomes/conclude-resolved.ts';
import { openUpdateIn } from '#io/git/outcomes/open-update.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Resolving, Session } from '#protocol/session.ts';
import type { Resolver } from '#protocol/session-api.ts';
import { prepareSession } from '../creation/prepare-session.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

type Stood = Resolving['stood'];

const STOOD: readonly Stood[] = ['ready', 'halted', 'failed'];

const wrongState = (session: Session, is: string, next: readonly string[]): RoboSmithError =>
  new RoboSmithError('wrong_state', `session ${session.id} "${session.title}" ${is}`, {
    session: session.id,
    state: session.state,
    next,
  });

/**
 * Returns the session's state and reason before the update. A second attempt keeps those that the first one recorded.
 */
const stoodOf = (session: Session, stood: Stood): Pick<Resolving, 'stood' | 'why'> =>
  session.state === 'halted' && session.resolving !== null
    ? { stood: session.resolving.stood, why: session.resolving.why }
    : { stood, why: afterUpdate(session) };

/** Checks that the resolver can run, before anything is changed. Throws a RoboSmithError otherwise. */
export async function checkResolver(
  session: Session,
  { start, manifest }: Resolver,
  openRun: RunId | null,
  parts: SessionPlaceParts,
): Promise<Resolving> {
  const { id, state, runs } = session;
  const stood = STOOD.find((one) => one === state);
  if (stood === undefined)
    throw wrongState(session, `is ${state}, so no node can resolve conflicts in it`, [`robosmith sessions show ${id}`]);
  if (openRun !== null)
    throw wrongState(session, `has run ${openRun}, which can still be resumed`, [
      `robosmith resume ${openRun}`,
      `robosmith runs cancel ${openRun}`,
    ]);
  const resolving = { start, manifest, base: '', files: [], known: runs.length, ...stoodOf(session, stood) };
  const prepared = await prepareSession({ ...session, resolving }, parts);
  if (prepared.ok) return resolving;
  const name = 'node' in start ? start.node : start.block;
  throw new RoboSmithError(
    prepared.reason === 'unknown_node' ? 'usage' : 'refused',
    `${name} can't resolve: ${prepared.why}`,
    {
      next: ['robosmith manifest show'],
    },
  );
}

/** Returns the update with its current conflicts; null if none is open. */
export async function resolvingNow(
  { worktree, update }: Session,
  resolving: Resolving,
  { git }: SessionPlaceParts,
): Promise<Resolving | null> {
  const open = worktree === null ? null : await openUpdateIn(git, worktree, update);
  if (open === null || 'kind' in open) return null;
  return { ...resolving, base: open.base, files: open.files };
}

/** Commits what a successful resolver has resolved; refuses if conflicts remain. */
export async function concludeWork(
  session: Session,
  { git }: Pick<SessionPlaceParts, 'git'>,
): Promise<OperationDone | SessionRefusal> {
  const { worktree, resolving, branch } = session;
  if (worktree === null || resolving === null) return { ok: false, why: 'there is nothing to conclude' };
  try {
    const done = await concludeResolved(git, worktree, resolving);
    if (done.kind === 'updated' || done.kind === 'up_to_date')
      return { ok: true, notes: [`${branch} is at ${done.commit.slice(0, 10)} now`] };
    const files = done.kind === 'refused' ? done.files : done.conflicts.map(({ file }) => file);
    return { ok: false, why: done.kind === 'refused' ? done.message : 'files are in conflict', files };
  } catch (thrown) {
    return { ok: false, why: messageOf(thrown) };
  }
}
