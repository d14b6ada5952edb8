import { projectRuns } from '#engine/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import { printRuns } from '../print/runs.ts';
import { inProject } from '../project/in-project.ts';

export interface RunsOptions {
  readonly json?: true;
}

/** Lists all runs of the project, newest first. */
export const runs = (options: RunsOptions, io: CliIo): Promise<number> =>
  inProject(options, io, (root) => {
    const listings = projectRuns(root);
    if (options.json === true) printJson({ ok: true, runs: listings }, io.stdout);
    else printRuns(listings, io);
    return 0;
  });
