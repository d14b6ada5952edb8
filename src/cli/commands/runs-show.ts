import { contextSavings, replayStored, runDetails, type RunDetails } from '#engine/index.ts';
import { spentByRun } from '#engine/authoring.ts';
import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { responseFromHere } from '../print/commands-from-here.ts';
import { printJson, spentJson } from '../print/json.ts';
import { printRefusal } from '../print/refused.ts';
import { printRun } from '../print/run.ts';
import { findRun, noSuchRun } from '../project/find-run.ts';
import { inProject } from '../project/in-project.ts';
import { stateTroubleOf } from '../project/state-trouble.ts';
import { storedRunCommands } from '../names/stored-run-commands.ts';
import { withAnswers } from '../names/resume-commands.ts';

export interface RunsShowOptions {
  readonly json?: true;
}

/** Prints the path of one run, its open halts, and how it ended. */
export const runsShow = (name: string, options: RunsShowOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const run = findRun(name, root);
    try {
      const details = runDetails(root, run);
      if (details === null) throw noSuchRun(run, root);
      const response = await responseOf(root, details, io);
      const { listing, path } = details;
      const spent = spentByRun(root).get(run);
      if (options.json === true) {
        const shown = response === null ? null : responseFromHere(response, io);
        const context = contextSavings(root, run);
        printJson(
          { ok: true, summary: listing.summary, spent: spentJson(spent), path, context, response: shown },
          io.stdout,
        );
      } else printRun(root, details, { response, spent }, io);
      return 0;
    } catch (thrown) {
      const trouble = stateTroubleOf(thrown, root, run);
      if (trouble === null) throw thrown;
      return printRefusal(trouble, options, io);
    }
  });

/**
 * Returns the Response of a run that is not active, from its journal; null if it is active or its journal can't be
 * replayed.
 */
async function responseOf(root: string, { listing, graph }: RunDetails, io: CliIo): Promise<Response | null> {
  const { run, summary } = listing;
  if (summary.status === 'running') return null;
  const replayed = await replayStored(root, run);
  if (replayed.kind !== 'same') return null;
  const { response } = replayed;
  const { started_at: began, updated_at: ended } = summary;
  const metadata = { ...response.metadata, duration_ms: Math.max(0, ended - began) };
  return withAnswers({ ...response, metadata }, storedRunCommands(run, null, io), graph, root);
}
