import { projectCalls } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printCalls } from '../print/calls.ts';
import { printJson } from '../print/json.ts';
import { findRun } from '../project/find-run.ts';
import { inProject } from '../project/in-project.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface CallsOptions {
  readonly run?: string;
  readonly limit?: string;
  readonly json?: true;
}

const limitOf = ({ limit }: CallsOptions): number => {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (/^\d{1,9}$/.test(limit)) return Number(limit);
  throw usageError(`"${limit}" is not a number of calls.`, ['robosmith calls --limit 20']);
};

/** Lists the logged model calls, newest first. */
export const calls = (options: CallsOptions, io: CliIo): Promise<number> =>
  inProject(options, io, (root) => {
    const limit = limitOf(options);
    const listing = projectCalls(root);
    const { run } = options;
    const chosen = listing.calls.filter((one) => run === undefined || one.run?.startsWith(run) === true);
    if (run !== undefined && chosen.length === 0) findRun(run, root);
    const shown = { calls: chosen.slice(0, limit), damaged: listing.damaged };
    if (options.json === true) printJson({ ok: true, ...shown }, io.stdout);
    else printCalls(shown, chosen.length, io);
    return 0;
  });
