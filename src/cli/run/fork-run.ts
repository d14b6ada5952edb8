import { storedSessions } from '#engine/index.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { Response } from '#protocol/response.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionApi, StepOfRun } from '#protocol/session-api.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { queueSentence } from './begin-in-session.ts';
import { queuedThere } from './follow-in-host.ts';
import { projectEnvironment } from './project-environment.ts';
import { withClient } from './with-client.ts';

type ForkedRun = { readonly ok: true; readonly run: RunId } | { readonly ok: false; readonly refusal: Response };

/** Forks a run. The run of a session is forked into a new session. */
export async function forkRun(
  from: StepOfRun,
  root: string,
  warn: (message: string) => void,
  io: CliIo,
): Promise<ForkedRun> {
  const of = storedSessions(root).find(({ runs }) => runs.includes(from.run)) ?? null;
  const done = await withClient(root, { io, warn }, (client) => forkBy(client, of, from, { root, warn, io }));
  if (!done.ok) return done;
  const { value, host } = done;
  if (typeof value === 'string') return { ok: true, run: value };
  return { ok: false, refusal: queuedThere(host ?? value.owner) };
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

/** Forks a run. Ctrl-C stops waiting; a queued session is created nevertheless, by the owner of the engine. */
async function forkBy(
  client: HostClient,
  of: Session | null,
  from: StepOfRun,
  { root, warn, io }: Asking,
): Promise<RunId | { readonly owner: number }> {
  const { remoteSessions } = await import('#host/client/index.ts');
  const api = remoteSessions(client, await projectEnvironment(root, io));
  const fork = async (): Promise<RunId> => {
    if (of === null) return (await client.call('run.fork', from)).run;
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
    return run === 'left' ? { owner: client.about.pid } : run;
  } finally {
    stop();
  }
}
