import { afterResolving } from '#machines/session/resolving.ts';
import { afterRefusal, type Reason, whyBeforeConflict } from '#protocol/in-conflict.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { DiscardChoices, DispositionResult, MergeChoices } from '#protocol/session-api.ts';
import { type OperationDone, type SessionRefusal, refused, type SessionEffects } from './session-effects.ts';
import type { SendToSession, SessionList } from './session-list.ts';

interface EndSessionsParts {
  readonly list: SessionList;
  readonly effects: SessionEffects;
  readonly send: SendToSession;
  readonly warn: (message: string) => void;
}

const notDone = ({ why, files = [], code }: SessionRefusal, session: Session): DispositionResult => ({
  ok: false,
  session,
  why,
  files,
  ...(code === undefined ? {} : { code }),
});

const CUT_OFF = {
  updating: 'its update or push was interrupted: check its worktree, and repeat the command',
  holding: 'its hold was interrupted: hold it again',
} as const;

/**
 * Returns the reason that a session keeps after an update or push. A reason that reported an interruption or a conflict
 * is dropped.
 */
export const afterUpdate = (before: Reason): string | null =>
  before.why === CUT_OFF.updating ? null : whyBeforeConflict(before);

/** Changes the base of sessions whose base branch is removed to the base of that branch. */
function moveOn(
  { branch, baseBranch, isAttached }: Session,
  { list, warn }: Pick<EndSessionsParts, 'list' | 'warn'>,
): void {
  if (isAttached) return;
  for (const { id, state, baseBranch: before } of list.all())
    if (before === branch && state !== 'merged') {
      list.change(id, { baseBranch });
      warn(`session ${id} will now be merged into ${baseBranch}, because its base branch ${branch} was merged into it`);
    }
}

/** Creates the operations that end sessions: merged or discarded. */
export function sessionEnds(parts: EndSessionsParts) {
  const { list, effects, send } = parts;

  /** Begins a merge: from then on nothing else happens in the session. `before` is the session as it was. */
  const beginMerge = (id: SessionId): { readonly before: Session; readonly session: Session } => {
    const before = list.get(id);
    return { before, session: send(id, { type: 'session.merge', hasBranch: before.base !== null }) };
  };

  const endMerge = (before: Session, end: OperationDone | SessionRefusal): DispositionResult => {
    const { id } = before;
    if (!end.ok)
      return notDone(end, send(id, { type: 'session.merge_refused' }, afterRefusal(before, end.why), end.why));
    moveOn(before, parts);
    const merged = end.merged === undefined ? {} : { merged: end.merged };
    return { ok: true, session: send(id, { type: 'session.merged' }, { worktree: null, ...merged }), notes: end.notes };
  };

  const merge = async (id: SessionId, choices: MergeChoices): Promise<DispositionResult> => {
    const { before, session } = beginMerge(id);
    return endMerge(before, await effects.merge(session, choices).catch(refused));
  };

  const discard = async (id: SessionId, choices: DiscardChoices): Promise<DispositionResult> => {
    const before = list.get(id);
    const session = send(id, { type: 'session.discard' });
    const end = await effects.discard(session, choices).catch(refused);
    if (!end.ok)
      return notDone(end, send(id, { type: 'session.discard_refused' }, afterRefusal(before, end.why), end.why));
    return { ok: true, session: send(id, { type: 'session.discarded' }, { worktree: null }), notes: end.notes };
  };

  return { merge, beginMerge, endMerge, discard };
}

/** Creates the function that recovers a session whose operation was interrupted because its process died. */
export function sessionRecovery(parts: EndSessionsParts): (session: Session) => Promise<void> {
  const { effects, send } = parts;

  const takeUpRun = async (session: Session): Promise<void> => {
    // This process has already resumed it.
    if (effects.isInProgress(session)) return;
    const concluded = session.resolving === null ? null : await effects.conclude(session).catch(refused);
    const { event, patch } =
      concluded === null
        ? {
            event: { type: 'run.halted' } as const,
            patch: { why: 'the engine stopped while its run was active: continue it with robosmith resume' },
          }
        : afterResolving(session, concluded);
    send(session.id, event, patch);
  };

  return async (session) => {
    const { id, state } = session;
    if (state === 'creating') send(id, { type: 'session.creation_cut_off' });
    else if (state === 'running') await takeUpRun(session);
    else if (state === 'discarding') {
      const end = await effects.goOnDiscarding(session).catch(refused);
      if (end.ok) send(id, { type: 'session.discarded' }, { worktree: null });
      else send(id, { type: 'session.discard_refused' }, { why: end.why });
    } else if (state === 'merging') {
      const isMerged = await effects.isMerged(session);
      const why = 'its merge was interrupted before it changed the base: merge it again';
      if (isMerged) moveOn(session, parts);
      send(id, isMerged ? { type: 'session.merged' } : { type: 'session.merge_refused' }, isMerged ? {} : { why });
    } else if (state === 'updating') send(id, { type: 'session.update_ended' }, { why: CUT_OFF.updating });
    else if (state === 'holding') send(id, { type: 'session.hold_refused' }, { why: CUT_OFF.holding });
  };
}
