import { refusalResponse } from '#engine/authoring.ts';
import type { Response } from '#protocol/response.ts';
import type { Session } from '#protocol/session.ts';
import { stateWords } from '../names/state-words.ts';
import { begunInSession, queueInSession, type SessionRun } from './begin-in-session.ts';
import { followInHost } from './follow-in-host.ts';
import type { Audience, RunToFollow } from './followed-run.ts';
import { connectToHost } from './connect-to-host.ts';
import { printSession } from './print-session.ts';
import { busy } from './with-engine.ts';

const inHost = (session: Session): Response =>
  refusalResponse('interrupted', {
    message: `Session ${session.title} (${session.id}) is ${stateWords(session.state)} in the engine host.`,
    detached: true,
    session: session.id,
    next: [`robosmith sessions show ${session.id}`, 'robosmith inbox'],
  });

/**
 * Runs in a session, which has its own branch and worktree, in the engine host. The host is started if necessary: only
 * there can sessions run in parallel and start automatically after a merge.
 */
export async function followInSession(
  run: SessionRun,
  followed: Omit<RunToFollow, 'begin' | 'beginInHost'>,
  detaches: boolean,
  audience: Audience,
): Promise<Response> {
  const { io, reporter } = audience;
  const found = await connectToHost(run.root, { spawn: true }, io);
  if (found.kind === 'owned') return busy(found.owner);
  if (found.kind === 'nobody') return refusalResponse('engine_busy', { message: 'No engine host could be started.' });
  const { client } = found;
  if (detaches) {
    const session = await queueInSession(run, client, reporter.warn, io).finally(() => client.close());
    return inHost(session);
  }
  let worksIn: Session | null = null;
  const response = await followInHost(
    client,
    {
      ...followed,
      beginInHost: async (host) => {
        const begun = await begunInSession(await queueInSession(run, host, reporter.warn, io), host);
        worksIn = begun.session;
        return begun;
      },
    },
    audience,
  );
  if (response.success && worksIn !== null) printSession(worksIn, audience);
  return response;
}
