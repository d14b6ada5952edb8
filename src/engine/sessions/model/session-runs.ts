import type { OperationDone, SessionRefusal, SessionList } from '#actors/session/index.ts';
import { RUN_MAY_GO_ON } from '#machines/session/waiting-sessions.ts';
import type { SessionEvent } from '#machines/session/session.machine.ts';
import { afterResolving, isResolved } from '#machines/session/resolving.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { Session } from '#protocol/session.ts';

/** The receiver of facts about runs: the session list, or the session manager, which also updates the queue. */
export type SessionSink = Pick<SessionList, 'get' | 'change' | 'send'>;

interface Fact {
  readonly event: SessionEvent;
  readonly patch: Pick<Session, 'why'> & Partial<Pick<Session, 'isDone' | 'resolving' | 'update'>>;
}

/** Returns the fact for the end of a resolver's run: its failure does not fail the session's own work. */
function factOfResolver(response: Response, session: Session, concluded: OperationDone | SessionRefusal | null): Fact {
  const { reason } = response;
  if (concluded !== null) return afterResolving(session, concluded);
  if (reason === null || reason === 'halted' || reason === 'interrupted') return factOf(response);
  const why = `its resolver ended with ${reason}: robosmith resume ${session.runs.at(-1) ?? ''} --retry`;
  return { event: { type: 'run.halted' }, patch: { why } };
}

/** Returns the fact for a run that ended or waits. */
function factOf({ reason }: Response): Fact {
  const halted = (why: string): Fact => ({ event: { type: 'run.halted' }, patch: { why } });
  if (reason === null) return { event: { type: 'run.completed' }, patch: { why: null, isDone: true } };
  if (reason === 'halted') return halted('its run waits for a person: robosmith inbox');
  if (reason === 'interrupted') return halted('its run was stopped: robosmith resume');
  return { event: { type: 'run.failed' }, patch: { why: `its run ended with ${reason}` } };
}

export const sessionOf = (sessions: readonly Session[], run: RunId): Session | null =>
  sessions.find(({ runs }) => runs.includes(run)) ?? null;

const refusal = ({ id, title, state }: Session, is: string, next: string): RoboSmithError =>
  new RoboSmithError('wrong_state', `session ${id} "${title}" ${is}`, { session: id, state, next: [next] });

/** Returns why no run of this session may continue in its state, or null. */
export function whyNoRun(session: Session): RoboSmithError | null {
  const { id, state, worktree, baseBranch } = session;
  if (state === 'merged') return refusal(session, `is merged into ${baseBranch}`, `robosmith sessions show ${id}`);
  if (state === 'discarded') return refusal(session, 'is discarded', `robosmith sessions restore ${id}`);
  if (state === 'held' || (worktree === null && RUN_MAY_GO_ON.has(state)))
    return refusal(session, state === 'held' ? 'is held' : 'has no worktree', `robosmith sessions resume ${id}`);
  return RUN_MAY_GO_ON.has(state) ? null : refusal(session, `is ${state}`, `robosmith sessions show ${id}`);
}

interface FollowedRun {
  began(): void;
  /** Reports that the run has settled. `warning`: what a person should know in addition. */
  settled(response: Response, warning: string | null, concluded: OperationDone | SessionRefusal | null): void;
}

/** Updates a session by the facts of its newest run; a session that was ended meanwhile stays unchanged. */
export function followRun(sink: SessionSink, id: SessionId, run: RunId): FollowedRun {
  const isNewest = (): boolean => sink.get(id).runs.at(-1) === run;
  return {
    began: () => {
      const { runs } = sink.get(id);
      if (!runs.includes(run)) sink.change(id, { runs: [...runs, run] });
      const { state } = sink.get(id);
      if (isNewest() && (state === 'halted' || state === 'ready' || state === 'failed'))
        sink.send(id, { type: 'run.began' });
    },
    settled: (response, warning, concluded) => {
      const session = sink.get(id);
      const { event, patch } = isResolved(session) ? factOfResolver(response, session, concluded) : factOf(response);
      const why = [patch.why, warning].filter((one) => one !== null).join('\n') || null;
      const { state } = session;
      const isNews = state === 'running' || (state === 'halted' && event.type !== 'run.halted');
      if (isNewest() && isNews) sink.send(id, event, { ...patch, why });
    },
  };
}
