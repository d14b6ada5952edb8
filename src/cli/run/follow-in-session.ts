import { refusalResponse } from '#engine/authoring.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { Response } from '#protocol/response.ts';
import type { Session } from '#protocol/session.ts';
import { stateWords } from '../names/state-words.ts';
import { begunInSession, queueInSession, type SessionRun } from './begin-in-session.ts';
import { followInHost } from './follow-in-host.ts';
import type { Audience, RunToFollow } from './followed-run.ts';
import { printSession } from './print-session.ts';
import { withClient } from './with-client.ts';

type FollowedInSession = Omit<RunToFollow, 'begin' | 'isOfSession'>;

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
  followed: FollowedInSession,
  detaches: boolean,
  audience: Audience,
): Promise<Response> {
  const { io, reporter } = audience;
  const done = await withClient(run.root, { io, warn: reporter.warn, inHost: true }, async (client) => {
    if (detaches) return inHost(await queueInSession(run, client, reporter.warn, io));
    return followHere(client, run, followed, audience);
  });
  return done.ok ? done.value : done.refusal;
}

async function followHere(
  client: HostClient,
  run: SessionRun,
  followed: FollowedInSession,
  audience: Audience,
): Promise<Response> {
  const { io, reporter } = audience;
  let worksIn: Session | null = null;
  const begin: RunToFollow['begin'] = async (host) => {
    const begun = await begunInSession(await queueInSession(run, host, reporter.warn, io), host);
    worksIn = begun.session;
    const { remarks, runs } = begun.session;
    if (runs.length <= 1) for (const remark of remarks) reporter.warn(remark);
    return begun;
  };
  const response = await followInHost(client, { ...followed, begin, isOfSession: true }, audience);
  if (response.success && worksIn !== null) await printSession(worksIn, run.root, audience);
  return response;
}
