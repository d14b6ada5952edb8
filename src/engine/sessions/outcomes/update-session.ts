import { afterUpdate, type OperationDone, type SessionRefusal, type SessionManager } from '#actors/session/index.ts';
import { BOTH_CHANGE } from '#io/git/outcomes/build-merge.ts';
import { WITH_MARKERS } from '#io/git/plumbing/marked-by-merge.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import { afterResolving } from '#machines/session/resolving.ts';
import { inConflict, type Reason, reasonOf } from '#protocol/in-conflict.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { OpenUpdate, Resolving, Session } from '#protocol/session.ts';
import type { DispositionResult, UpdateChoices } from '#protocol/session-api.ts';
import { checkResolver, resolvingNow } from './resolve-work.ts';
import type { SerialPlaceParts } from '../model/session-place.ts';
import { type UpdateEnd, updateWork } from './update-work.ts';

export interface UpdateSessionParts extends SerialPlaceParts {
  readonly manager: SessionManager;
  readonly openRun: (session: Session) => RunId | null;
  readonly endRun: (session: Session) => Promise<void>;
  readonly refresh: (session: SessionId) => Promise<void>;
}

const failed = (thrown: unknown): SessionRefusal => ({ ok: false, why: messageOf(thrown) });

const countText = (count: number): string => `${String(count)} ${count === 1 ? 'file is' : 'files are'}`;

/** Queues the session for its resolver, with the conflicts in its worktree. */
function queued(
  session: Session,
  resolving: Resolving,
  { why: reason, open }: Extract<UpdateEnd, { ok: false }>,
  { manager }: UpdateSessionParts,
): DispositionResult {
  const { id, why, baseBranch } = session;
  manager.send(id, { type: 'session.update_ended' }, { why, resolving, update: open ?? session.update }, reason);
  manager.send(id, { type: 'session.submit' });
  const by = 'node' in resolving.start ? resolving.start.node : resolving.start.block;
  const note = `${countText(resolving.files.length)} in conflict with ${baseBranch}: ${by} resolves them`;
  return { ok: true, session: manager.get(id), notes: [note] };
}

/**
 * Returns the session's reason after a refused update. It changes only if the worktree has conflicts, or if its
 * conflicts were resolved.
 */
async function reasonNow(
  session: Session,
  end: { readonly inConflict?: boolean; readonly open?: OpenUpdate },
  { git }: UpdateSessionParts,
): Promise<Reason> {
  const { id, worktree, resolving } = session;
  if (worktree === null || resolving !== null) return reasonOf(session);
  const isOpen = end.open !== undefined || (await commitOf(git, worktree, 'MERGE_HEAD')) !== null;
  const before: Reason = { why: afterUpdate(session), unmerged: null };
  if (!isOpen) return before;
  return end.inConflict === true ? inConflict({ id, ...before }) : reasonOf(session);
}

/**
 * Returns the reason after an update. If a merge was refused because of conflicts with the base, that reason is dropped
 * unless the update was aborted.
 */
const afterMerging = (reason: Reason, { abort }: UpdateChoices): string | null => {
  const before = afterUpdate(reason);
  return !abort && [BOTH_CHANGE, WITH_MARKERS].some((prefix) => before?.startsWith(prefix) === true) ? null : before;
};

/**
 * Settles a session without remaining conflicts, however they were resolved: the resolver's run is not needed, and the
 * session returns to its previous state.
 */
async function settled(
  session: Session,
  end: OperationDone,
  choices: UpdateChoices,
  parts: UpdateSessionParts,
): Promise<DispositionResult> {
  const { manager, endRun, openRun, warn } = parts;
  const { id, resolving } = session;
  if (resolving !== null && openRun(session) !== null)
    await endRun(session).catch((thrown: unknown) => warn(messageOf(thrown)));
  const after = manager.send(
    id,
    { type: 'session.update_ended' },
    { why: afterMerging(session, choices), resolving: null, update: null },
  );
  if (resolving === null || after.state !== 'halted') return { ok: true, session: after, notes: end.notes };
  const { event, patch } = afterResolving(session, end);
  const stands = event.type === 'run.halted' ? manager.change(id, patch) : manager.send(id, event, patch);
  return { ok: true, session: stands, notes: end.notes };
}

/** Merges a changed base into a session's branch. With `resolve`, a run is started to resolve the conflicts. */
export async function updateSession(
  id: SessionId,
  choices: UpdateChoices,
  parts: UpdateSessionParts,
): Promise<DispositionResult> {
  const { manager, refresh, openRun } = parts;
  const before = manager.get(id);
  const { resolve = null } = choices;
  const resolver = resolve === null ? null : await checkResolver(before, resolve, openRun(before), parts);
  const reason = reasonOf(manager.get(id));
  const updating = { ...manager.send(id, { type: 'session.update', hasBranch: before.base !== null }), ...reason };
  const end: UpdateEnd = await updateWork(updating, choices, parts).catch(failed);
  const left =
    resolver === null || end.ok || end.inConflict !== true
      ? null
      : await resolvingNow(updating, resolver, parts).catch((thrown: unknown) => {
          parts.warn(`${id}: its resolver was not started: ${messageOf(thrown)}`);
          return null;
        });
  await refresh(id);
  if (end.ok) return settled(updating, end, choices, parts);
  if (left !== null) return queued(updating, left, end, parts);
  // A failure of git must not prevent the update from ending.
  const why = await reasonNow(updating, end, parts).catch(() => reasonOf(updating));
  const patch = { ...why, update: end.open ?? updating.update };
  const session = manager.send(id, { type: 'session.update_ended' }, patch, end.why);
  return { ok: false, session, why: end.why, files: end.files ?? [] };
}
