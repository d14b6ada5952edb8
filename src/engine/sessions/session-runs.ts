import type { SessionList } from '#actors/session/index.ts';
import { RUN_MAY_GO_ON } from '#machines/session/run-may-go-on.ts';
import type { SessionEvent } from '#machines/session/session.machine.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { Session } from '#protocol/session.ts';

/** Where the facts of runs go: the list alone, or the manager, whose queue goes on with them. */
export type SessionSink = Pick<SessionList, 'get' | 'change' | 'send'>;

/** How a run that ended, or waits, is told to its session. */
function factOf({ reason }: Response): { readonly event: SessionEvent; readonly why: string | null } {
  if (reason === null) return { event: { type: 'run.completed' }, why: null };
  if (reason === 'halted') return { event: { type: 'run.halted' }, why: 'its run waits for a person: robosmith inbox' };
  if (reason === 'interrupted') return { event: { type: 'run.halted' }, why: 'its run was stopped: robosmith resume' };
  return { event: { type: 'run.failed' }, why: `its run ended with ${reason}` };
}

export const sessionOf = (sessions: readonly Session[], run: RunId): Session | null =>
  sessions.find(({ runs }) => runs.includes(run)) ?? null;

const refusal = ({ id, title, state }: Session, is: string, next: string): RoboSmithError =>
  new RoboSmithError('wrong_state', `session ${id} "${title}" ${is}`, { session: id, state, next: [next] });

/** Why no run of this session goes on as it stands; null: it may. */
export function whyNoRun(session: Session): RoboSmithError | null {
  const { id, state, worktree, baseBranch } = session;
  if (state === 'merged') return refusal(session, `is merged into ${baseBranch}`, `robosmith sessions show ${id}`);
  if (state === 'discarded') return refusal(session, 'is discarded', `robosmith sessions restore ${id}`);
  if (state === 'held' || (worktree === null && RUN_MAY_GO_ON.has(state)))
    return refusal(session, state === 'held' ? 'is held' : 'has no worktree', `robosmith sessions resume ${id}`);
  return RUN_MAY_GO_ON.has(state) ? null : refusal(session, `is ${state}`, `robosmith sessions show ${id}`);
}

export interface FollowedRun {
  began(): void;
  /** `warning`: what a person is to know beside how it ended. */
  settled(response: Response, warning: string | null): void;
}

/** Keeps a session where its newest run is; one that was ended in the meantime stays as it is. */
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
    settled: (response, warning) => {
      const { reason } = response;
      const { event, why: ending } = factOf(response);
      const why = [ending, warning].filter((one) => one !== null).join('\n') || null;
      const { state } = sink.get(id);
      const isNews = state === 'running' || (state === 'halted' && event.type !== 'run.halted');
      if (isNewest() && isNews) sink.send(id, event, { why, ...(reason === null ? { isDone: true } : {}) });
    },
  };
}
