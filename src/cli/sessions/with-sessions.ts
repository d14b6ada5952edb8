import { type Sessions, storedSessions } from '#engine/index.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { Disposed, SessionApi } from '#protocol/session-api.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fitLines, roomOn } from '../print/fit-lines.ts';
import { printJson } from '../print/json.ts';
import { type JsonOption, printRefusal, printRefused } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { liveHost, connectToHost } from '../run/connect-to-host.ts';
import { busy, withEngine } from '../run/with-engine.ts';
import { findSession } from './find-session.ts';

/** The sessions of a project when the command started, and the operations on them. */
export interface OpenedSessions {
  readonly root: string;
  readonly sessions: readonly Session[];
  readonly api: SessionApi;
  /**
   * Sessions that this process has started without a host. They are always sessions in which a person works, never
   * sessions with a run.
   */
  readonly starts: Set<SessionId>;
  /** True if a host runs queued sessions. */
  readonly inHost: boolean;
}

interface SessionAccess extends JsonOption {
  /** True if a session with a run will be queued, which needs a host. */
  readonly runs?: boolean;
}

/**
 * Runs a function with the sessions of the project. Uses the host, and starts it if a queued session needs it. Without
 * a host, this process owns the engine for the one request.
 */
export const withSessions = (
  { runs = false, ...asked }: SessionAccess,
  io: CliIo,
  work: (at: OpenedSessions) => Promise<number>,
): Promise<number> =>
  inProject(asked, io, async (root) => {
    const sessions = storedSessions(root);
    const isNeeded = runs || sessions.some(({ state }) => state === 'queued');
    const host = isNeeded ? await startedHost(root, asked, io) : await liveHost(root, io);
    if (typeof host === 'number') return host;
    if (host === null) return inThisProcess(root, sessions, asked, io, work);
    const { remoteSessions } = await import('#host/client/index.ts');
    try {
      return await work({ root, sessions, api: remoteSessions(host), starts: new Set(), inHost: true });
    } finally {
      host.close();
    }
  });

/** Returns the host. If it could not be started, prints why and returns the exit code. */
async function startedHost(root: string, asked: JsonOption, io: CliIo) {
  const found = await connectToHost(root, { spawn: true }, io);
  if (found.kind === 'connected') return found.client;
  return found.kind === 'owned' ? printRefusal(busy(found.owner), asked, io) : null;
}

const inThisProcess = (
  root: string,
  sessions: readonly Session[],
  asked: JsonOption,
  io: CliIo,
  work: (at: OpenedSessions) => Promise<number>,
): Promise<number> => {
  const starts = new Set<SessionId>();
  return owningSessions(root, asked, io, ({ api }) => work({ root, sessions, api, starts, inHost: false }), starts);
};

/** Runs a function with an engine that this process owns. An idle host is stopped before. */
export async function owningSessions(
  root: string,
  asked: JsonOption,
  io: CliIo,
  work: (sessions: Sessions) => Promise<number>,
  starts: ReadonlySet<SessionId> = new Set(),
): Promise<number> {
  const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
  const done = await withEngine(
    root,
    warn,
    async (engine) => work(await engine.sessions({ runStarter: null, mayStart: ({ id }) => starts.has(id) })),
    { isBrief: true },
  );
  return done.ok ? done.value : printRefusal(done.refusal, asked, io);
}

/** Finds a session by id, title or branch, and runs a function with it. */
export const withSession = (
  name: string,
  wanted: SessionAccess,
  io: CliIo,
  work: (session: Session, at: OpenedSessions) => Promise<number>,
): Promise<number> => withSessions(wanted, io, (at) => work(findSession(name, at.sessions), at));

/** Prints the result of a request, as text or JSON. */
export function printDisposition(
  disposed: Disposed,
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
