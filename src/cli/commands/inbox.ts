import { projectInbox } from '#engine/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { answeredFromHere } from '../print/commands-from-here.ts';
import { printInbox } from '../print/inbox.ts';
import { printJson } from '../print/json.ts';
import { inProject } from '../project/in-project.ts';

export interface InboxOptions {
  readonly json?: true;
}

/** All that waits for a person, the oldest first. */
export const inbox = (options: InboxOptions, io: CliIo): Promise<number> =>
  inProject(options, io, (root) => {
    const found = projectInbox(root);
    const waiting = found.waiting.map((one) => answeredFromHere(one, io));
    const sessions = found.sessions.map((one) => answeredFromHere(one, io));
    const { damaged, interrupted } = found;
    if (options.json === true) printJson({ ok: true, waiting, sessions, damaged, interrupted }, io.stdout);
    else printInbox(found, io);
    return 0;
  });
