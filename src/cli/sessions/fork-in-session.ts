import type { Engine } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';

/** Forks a session's run in a session of its own, made here, with the files of its step; null: there is no such step. */
export async function forkInSession(engine: Engine, of: Session, run: RunId, step: number): Promise<RunId | null> {
  const starts = new Set<SessionId>();
  // It is gone on with by whoever forks it.
  const sessions = await engine.sessions({ adopt: () => undefined, mayStart: (id) => starts.has(id) });
  const forked = await sessions.fork(of.id, run, step);
  if (forked === null) return null;
  const { id } = forked.session;
  starts.add(id);
  await sessions.api.submit(id);
  await sessions.manager.idle();
  const { state, why } = sessions.manager.get(id);
  if (state === 'running')
    sessions.manager.send(id, { type: 'run.halted' }, { why: `it is to go on: robosmith resume ${forked.run}` });
  else if (state !== 'ready') {
    const message = `${forked.session.title} (${id}) is ${state}${why === null ? '' : `: ${why}`}`;
    throw new RoboSmithError('refused', message, { session: id, run: forked.run });
  }
  return forked.run;
}
