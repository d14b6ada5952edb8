import { projectInbox, type SessionDiff, sessionDiff, storedSessions } from '#engine/index.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Inbox } from '#protocol/inbox.ts';
import { liveHost } from '../run/connect-to-host.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { answeredFromHere } from '../print/commands-from-here.ts';
import { printInbox } from '../print/inbox.ts';
import { printJson } from '../print/json.ts';
import { inProject } from '../project/in-project.ts';

export interface InboxOptions {
  readonly json?: true;
}

/**
 * Returns the runs that a live engine host executes or will continue. The host is queried only if one of the waiting
 * runs waits for a time.
 */
async function inHostHands(root: string, { waiting }: Inbox, io: CliIo): Promise<ReadonlySet<RunId>> {
  if (waiting.every(({ until }) => until === null)) return new Set();
  const host = await liveHost(root, io).catch(() => null);
  if (host === null) return new Set();
  try {
    const status = await host.call('status', {});
    return new Set([...status.running, ...status.waiting]);
  } catch {
    return new Set();
  } finally {
    host.close();
  }
}

/** The maximum number of sessions whose changes are counted, since each needs a few git processes. */
const MOST_COUNTED = 12;

/** Returns what the waiting sessions have changed. Sessions without changes, and those that git can't read, are left out. */
async function changesOf(root: string, { waiting, sessions }: Inbox): Promise<ReadonlyMap<SessionId, SessionDiff>> {
  const ids = new Set([...waiting, ...sessions].flatMap(({ session }) => session ?? []));
  const counted = storedSessions(root)
    .filter(({ id }) => ids.has(id))
    .slice(0, MOST_COUNTED);
  const wanted = { paths: [], limits: null, redact: (text: string): string => text };
  const read = await Promise.all(
    counted.map(async (session) => {
      const diff = await sessionDiff(session, root, wanted).catch(() => null);
      return diff?.ok === true && diff.files.length > 0 ? ([session.id, diff] as const) : null;
    }),
  );
  return new Map(read.filter((one) => one !== null));
}

/** Lists everything that waits for a person, oldest first. */
export const inbox = (options: InboxOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const found = await projectInbox(root);
    const waiting = found.waiting.map((one) => answeredFromHere(one, io));
    const sessions = found.sessions.map((one) => answeredFromHere(one, io));
    const { damaged, interrupted, retrying = [] } = found;
    if (options.json === true) printJson({ ok: true, waiting, sessions, damaged, interrupted, retrying }, io.stdout);
    else {
      const [hosted, changes] = await Promise.all([inHostHands(root, found, io), changesOf(root, found)]);
      printInbox(found, { hosted, changes }, io);
    }
    return 0;
  });
