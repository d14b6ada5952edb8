import type { Engine } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { CliIo } from '../cli-io.ts';
import { rememberDirectory } from '../trust/outside.ts';

/** Forks a session's run in a session of its own, made here, with the files of its step; null: there is no such step. */
export async function forkInSession(
  engine: Engine,
  of: Session,
  { run, step }: { readonly run: RunId; readonly step: number },
  root: string,
  io: CliIo,
): Promise<RunId | null> {
  const starts = new Set<SessionId>();
  // It is gone on with by whoever forks it.
  const sessions = await engine.sessions({ hands: null, mayStart: ({ id }) => starts.has(id) });
  const forked = await sessions.fork(of.id, run, step);
  if (forked === null) return null;
  const { id } = forked.session;
  starts.add(id);
  await sessions.api.submit(id);
  await sessions.manager.idle();
  const { state, why, worktree } = sessions.manager.get(id);
  // Made here and now, for who has asked for it.
  if (worktree !== null) await rememberDirectory(root, worktree, io);
  if (state === 'running')
    sessions.manager.send(id, { type: 'run.halted' }, { why: `it is to go on: robosmith resume ${forked.run}` });
  else if (state !== 'ready') {
    const message = `${forked.session.title} (${id}) is ${state}${why === null ? '' : `: ${why}`}`;
    throw new RoboSmithError('refused', message, { session: id, run: forked.run });
  }
  return forked.run;
}
