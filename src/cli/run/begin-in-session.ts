import path from 'node:path';
import { projectSessions, storedSessions } from '#engine/index.ts';
import type { Approvals } from '#protocol/approvals.ts';
import type { Environment } from '#protocol/environment.ts';
import { refusalResponse } from '#engine/authoring.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { StartOutcome } from '#protocol/host.ts';
import type { ScriptedAnswer } from '#protocol/script.ts';
import type { Start } from '#protocol/run.ts';
import { hasEnded, type Session, type SessionJob } from '#protocol/session.ts';
import type { SessionApi } from '#protocol/session-api.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { noteOf } from '../print/sessions.ts';
import { usageError } from '../terminal/usage-error.ts';
import { sessionTitle } from './session-title.ts';

export interface SessionRun {
  readonly root: string;
  /**
   * The title of a new session, or of an existing session that can take another run. Null: a new session is named after
   * the input or the start.
   */
  readonly session: string | null;
  /** The title of a new session without a title of its own; absent: named after the input or the start. */
  readonly title?: string | undefined;
  /** The number of an issue, which is put before the title of a new session. */
  readonly prefix?: string | undefined;
  /** The branch that a new session is attached to. */
  readonly attach?: string | null;
  readonly start: Start;
  readonly manifest: string;
  readonly input: string | null;
  readonly script: string | undefined;
  readonly stepMode: boolean;
  readonly approvals?: Approvals | undefined;
  readonly plan: readonly string[];
  readonly environment: Environment;
  /** Answers to halts that the host gives, because this process does not stay. */
  readonly answers: readonly ScriptedAnswer[];
}

const jobOf = (
  { start, manifest, input, script, stepMode, approvals, answers }: SessionRun,
  io: CliIo,
): SessionJob => ({
  start,
  manifest,
  input,
  ...(answers.length === 0 ? {} : { answers }),
  stepMode,
  ...(approvals === undefined ? {} : { approvals }),
  script: script === undefined ? null : path.resolve(io.cwd, script),
});

/** Returns the title of a new session, with the number of its issue first. */
function titleOf(run: SessionRun): string {
  const { session, title = sessionTitle(run), prefix = '' } = run;
  if (session === null) return title;
  return session.startsWith(prefix) ? session : `${prefix}${session}`;
}

/** Queues another run in the session of that name, or a new session. */
async function queued(run: SessionRun, api: SessionApi, io: CliIo): Promise<Session> {
  const job = jobOf(run, io);
  const title = titleOf(run);
  const sessions = storedSessions(run.root);
  const known =
    run.session === null
      ? undefined
      : sessions.find((one) => !hasEnded(one) && ([title, run.session].includes(one.title) || one.id === run.session));
  if (known !== undefined) return api.rerun(known.id, job, run.plan);
  return api.create({
    title,
    job,
    plan: run.plan,
    base: null,
    attach: run.attach ?? null,
    priority: null,
    after: [],
    isDraft: false,
  });
}

/** Returns the sessions that a queued session waits for; null if none or unknown. */
export async function queueReason({ id, state }: Session, root: string): Promise<string | null> {
  if (state !== 'queued') return null;
  const view = (await projectSessions(root)).find(({ session }) => session.id === id);
  return view === undefined || view.waits === null ? null : noteOf(view);
}

/** Returns a sentence that says which sessions a queued session waits for; null if none or unknown. */
export async function queueSentence(session: Session, root: string): Promise<string | null> {
  const why = await queueReason(session, root);
  return why === null ? null : `Session ${session.title} (${session.id}) is queued: ${why}.`;
}

/** Queues a run in a new session in the engine host, and reports if it has to wait. */
export async function queueInSession(
  run: SessionRun,
  host: HostClient,
  report: (message: string) => void,
  io: CliIo,
): Promise<Session> {
  const { remoteSessions } = await import('#host/client/index.ts');
  const session = await queued(run, remoteSessions(host, run.environment), io);
  if (session.state === 'queued') {
    const why = await queueSentence(session, run.root);
    if (why !== null) report(why);
  }
  return session;
}

/** Resolves once the worktree exists and the run has started, or with the reason why not. */
export async function begunInSession(
  { id, runs }: Session,
  host: HostClient,
): Promise<StartOutcome & { readonly session: Session }> {
  const { remoteSessions } = await import('#host/client/index.ts');
  const session = await remoteSessions(host, null).moved(id, runs.length);
  const run = session.runs.slice(runs.length).at(-1);
  if (session.state === 'failed' && run === undefined) {
    const message = `Session ${session.title} (${id}) could not be created: ${session.why ?? 'unknown reason'}`;
    const next = [`robosmith sessions show ${id}`];
    return { ok: false, refusal: refusalResponse('precondition_failed', { message, next }), session };
  }
  if (run === undefined)
    throw usageError(`${session.title} (${id}) is ${session.state}, and runs nothing.`, [
      `robosmith sessions show ${id}`,
    ]);
  return { ok: true, run, seq: 0, session };
}
