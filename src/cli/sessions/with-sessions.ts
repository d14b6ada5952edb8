import { storedSessions } from '#engine/index.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { Session } from '#protocol/session.ts';
import type { DispositionResult, SessionApi } from '#protocol/session-api.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fitLines, roomOn } from '../print/fit-lines.ts';
import { printJson } from '../print/json.ts';
import { type JsonOption, printRefusal, printRefused } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { projectEnvironment } from '../run/project-environment.ts';
import { withClient } from '../run/with-client.ts';
import { findSession } from './find-session.ts';

/** The sessions of a project when the command started, and the operations on them. */
export interface OpenedSessions {
  readonly root: string;
  readonly sessions: readonly Session[];
  readonly api: SessionApi;
  readonly client: HostClient;
}

interface SessionAccess extends JsonOption {
  /** True if a session with a run will be queued, which needs a host. */
  readonly runs?: boolean;
}

/** Runs a function with the sessions of the project. A host serves it if a session with a run is or will be queued. */
export const withSessions = (
  { runs = false, ...asked }: SessionAccess,
  io: CliIo,
  work: (at: OpenedSessions) => Promise<number>,
): Promise<number> =>
  inProject(asked, io, async (root) => {
    const sessions = storedSessions(root);
    const inHost = runs || sessions.some(({ state }) => state === 'queued');
    const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
    const done = await withClient(root, { io, warn, inHost }, async (client) => {
      const { remoteSessions } = await import('#host/client/index.ts');
      return work({ root, sessions, client, api: remoteSessions(client, await projectEnvironment(root, io)) });
    });
    return done.ok ? done.value : printRefusal(done.refusal, asked, io);
  });

/** Finds a session by id, title or branch, and runs a function with it. */
export const withSession = (
  name: string,
  wanted: SessionAccess,
  io: CliIo,
  work: (session: Session, at: OpenedSessions) => Promise<number>,
): Promise<number> => withSessions(wanted, io, (at) => work(findSession(name, at.sessions), at));

/** Prints the result of a request, as text or JSON. */
export function printDisposition(
  disposed: DispositionResult,
  did: string,
  next: readonly string[],
  asked: JsonOption,
  io: CliIo,
): number {
  const { session } = disposed;
  if (!disposed.ok) {
    const reasons = disposed.why.split('\n');
    const files = disposed.files
      .filter((file) => !reasons.some((line) => line.startsWith(`${file}: `)))
      .slice(0, 20)
      .map((file) => `\n  ${harmless(file)}`);
    const message = `${session.title} (${session.id}) is ${session.state}: ${harmless(disposed.why)}${files.join('')}`;
    return printRefused({ code: 'refused', message, next }, 1, asked, io);
  }
  return printSessionChange(session, did, disposed.notes, asked, io);
}

export function printSessionChange(
  session: Session,
  did: string,
  notes: readonly string[],
  asked: JsonOption,
  io: CliIo,
): number {
  if (asked.json === true) {
    printJson({ ok: true, session, notes }, io.stdout);
    return 0;
  }
  const { paint, symbols } = styleFor(io.stdout, io);
  io.stdout.write(`${paint.green(symbols.ok)} ${paint.bold(harmless(session.title))} (${session.id}) ${did}\n`);
  for (const note of notes)
    for (const line of fitLines(`  ${harmless(note)}`, roomOn(io.stdout), '  '))
      io.stdout.write(`${paint.dim(line)}\n`);
  return 0;
}
