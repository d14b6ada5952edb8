import { projectSessions, type Sessions } from '#engine/index.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { Disposed, SessionApi } from '#protocol/session-api.ts';
import type { CliIo } from '../cli-io.ts';
import { printJson } from '../print/json.ts';
import { type Asked, printRefusal, printRefused } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { withEngine } from '../run/with-engine.ts';
import { findSession } from './find-session.ts';

/** Looks for a session by what a person calls it, and asks something of it. */
export const withSession = (
  name: string,
  asked: Asked,
  io: CliIo,
  work: (session: Session, api: SessionApi, root: string) => Promise<number>,
): Promise<number> =>
  withSessions(asked, io, async ({ manager, api }, root) => work(findSession(name, manager.list()), api, root));

/** Owns the project's engine while something is asked of its sessions; only those of `starts` are begun by it. */
export const withSessions = (
  asked: Asked,
  io: CliIo,
  work: (sessions: Sessions, root: string) => Promise<number>,
  starts: ReadonlySet<SessionId> = new Set(),
): Promise<number> =>
  inProject(asked, io, async (root) => {
    const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
    const done = await withEngine(root, warn, async (engine) =>
      work(await engine.sessions({ adopt: () => undefined, mayStart: (id) => starts.has(id) }), root),
    );
    return done.ok ? done.value : printRefusal(done.refusal, asked, io);
  });

/** What came of a request, for people or as JSON. */
export function tellDisposed(
  disposed: Disposed,
  did: string,
  next: readonly string[],
  asked: Asked,
  io: CliIo,
): number {
  const { session } = disposed;
  if (!disposed.ok) {
    const files = disposed.files.slice(0, 20).map((file) => `\n  ${harmless(file)}`);
    const message = `${session.title} (${session.id}) is ${session.state}: ${harmless(disposed.why)}${files.join('')}`;
    return printRefused({ code: 'refused', message, next }, 1, asked, io);
  }
  if (asked.json === true) printJson({ ok: true, session, notes: disposed.notes }, io.stdout);
  else tellSession(session, did, disposed.notes, io);
  return 0;
}

export function tellSession(session: Session, did: string, notes: readonly string[], io: CliIo): void {
  const { paint, symbols } = styleFor(io.stdout, io);
  io.stdout.write(`${paint.green(symbols.ok)} ${paint.bold(harmless(session.title))} (${session.id}) ${did}\n`);
  for (const note of notes) io.stdout.write(`  ${paint.dim(harmless(note))}\n`);
}

/** The listing of one session, for `sessions show`. */
export async function listingOf(name: string, root: string) {
  const listings = await projectSessions(root);
  const { id } = findSession(
    name,
    listings.map(({ session }) => session),
  );
  return listings.find(({ session }) => session.id === id);
}
