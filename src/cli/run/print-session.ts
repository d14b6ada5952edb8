import { storedSessionOf } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fromHere } from '../names/command-from-here.ts';
import type { Reporter } from '../print/reporter.ts';

interface Audience {
  readonly reporter: Reporter;
  readonly io: CliIo;
}

/** Prints where the work of a completed run is, and how to merge it. */
export function printSession({ id, title, branch }: Session, { reporter, io }: Audience): void {
  const merge = fromHere(`robosmith sessions merge ${id}`, io);
  reporter.note(`Its work is in session ${title} (${id}), on ${branch}: ${merge}`);
}

/** Prints where the work of a run is if the run belongs to a session. */
export function printSessionOf(run: RunId, root: string, audience: Audience): void {
  const session = storedSessionOf(root, run);
  if (session !== null) printSession(session, audience);
}
