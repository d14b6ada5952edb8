import { noSuchStep, storedSessions } from '#engine/index.ts';
import type { HostClient } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionApi, StepOfRun } from '#protocol/session-api.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { queueSentence } from './begin-in-session.ts';
import { queuedThere } from './follow-in-host.ts';
import { liveHost } from './connect-to-host.ts';
import { stateTrouble, type WithEngine, withEngine } from './with-engine.ts';

/**
 * Forks a run, in a live host or in an engine that this process owns. The run of a session is forked into a new
 * session.
 */
export async function forkRun(
  from: StepOfRun,
  root: string,
  warn: (message: string) => void,
  io: CliIo,
): Promise<WithEngine<RunId>> {
  const of = storedSessions(root).find(({ runs }) => runs.includes(from.run)) ?? null;
  const host = await liveHost(root, io);
  if (host !== null) return forkInHost(host, of, from, { root, warn, io });
  return withEngine(root, warn, async (engine) => {
    if (of === null) return engine.fork(from.run, from.step) ?? Promise.reject(noSuchStep(from));
    const { api } = await engine.sessions({ runStarter: null, mayStart: () => false });
    return forkSession(api, of, from, (queued) => Promise.resolve(queued));
  });
}

/** Forks the run of a session. `waits` is called if the new session is queued. */
async function forkSession(
  api: SessionApi,
  of: Session,
  from: StepOfRun,
  waits: (queued: Session) => Promise<Session>,
): Promise<RunId> {
  const asked = await api.fork(of.id, from);
  const session = asked.state === 'queued' ? await waits(asked) : await api.moved(asked.id, asked.runs.length);
  const { id, title, state, why, worktree, runs } = session;
  const [run] = runs;
  if (run !== undefined && worktree !== null && (state === 'halted' || state === 'ready')) return run;
  const message = `${title} (${id}) is ${state}${why === null ? '' : `: ${why}`}`;
  throw new RoboSmithError('refused', message, { session: id, run: run ?? null });
}

interface Asking {
  readonly root: string;
  readonly warn: (message: string) => void;
  readonly io: CliIo;
}

/** Forks in the host. Ctrl-C stops waiting; a queued session is created nevertheless. */
async function forkInHost(
  host: HostClient,
  of: Session | null,
  from: StepOfRun,
  { root, warn, io }: Asking,
): Promise<WithEngine<RunId>> {
  const { remoteSessions } = await import('#host/client/index.ts');
  const api = remoteSessions(host);
  const fork = async (): Promise<RunId> => {
    if (of === null) return (await host.call('run.fork', from)).run;
    return forkSession(api, of, from, async (queued) => {
      const why = await queueSentence(queued, root);
      if (why !== null) warn(why);
      return api.moved(queued.id, queued.runs.length);
    });
  };
  const left = Promise.withResolvers<'left'>();
  const stop = io.onInterrupt(() => left.resolve('left'));
  try {
    const forking = fork();
    forking.catch(() => undefined);
    const run = await Promise.race([forking, left.promise]);
    return run === 'left' ? { ok: false, refusal: queuedThere(host) } : { ok: true, value: run };
  } catch (thrown) {
    const refusal = stateTrouble(thrown);
    if (refusal === null) throw thrown;
    return { ok: false, refusal };
  } finally {
    stop();
    host.close();
  }
}
