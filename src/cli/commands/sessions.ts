import { projectSessions } from '#engine/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import { printSessions } from '../print/sessions.ts';
import { inProject } from '../project/in-project.ts';

export interface SessionsOptions {
  readonly all?: true;
  readonly json?: true;
}

/** Lists the sessions of the project; merged and discarded ones only with `--all`. */
export const sessions = (options: SessionsOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const listings = await projectSessions(root, { environment: io.env });
    if (options.json === true) printJson({ ok: true, sessions: listings }, io.stdout);
    else printSessions(listings, options.all === true, io);
    return 0;
  });
