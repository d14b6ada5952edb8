import { sessionDiff, storedSessionOf } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fromHere } from '../names/command-from-here.ts';
import type { Reporter } from '../print/reporter.ts';

interface Audience {
  readonly reporter: Reporter;
  readonly io: CliIo;
}

const COUNTS = { paths: [], limits: null, redact: (text: string) => text };

/** Prints where the work of a completed run is and how to merge it, or that there is nothing to merge. */
export async function printSession(session: Session, root: string, { reporter, io }: Audience): Promise<void> {
  const { id, title, branch } = session;
  const diff = await sessionDiff(session, root, COUNTS).catch(() => null);
  if (diff?.ok === true && diff.files.length === 0) {
    const discard = fromHere(`robosmith sessions discard ${id}`, io);
    reporter.note(`Session ${title} (${id}) has changed no files, so there is nothing to merge: ${discard}`);
    return;
  }
  const merge = fromHere(`robosmith sessions merge ${id}`, io);
  reporter.note(`Its work is in session ${title} (${id}), on ${branch}: ${merge}`);
}

/** Prints where the work of a run is if the run belongs to a session. */
export async function printSessionOf(run: RunId, root: string, audience: Audience): Promise<void> {
  const session = storedSessionOf(root, run);
  if (session !== null) await printSession(session, root, audience);
}
