import { compareLogged, projectCalls } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printCalls } from '../print/calls.ts';
import { printJson } from '../print/json.ts';
import { findRun } from '../project/find-run.ts';
import { inProject } from '../project/in-project.ts';
import { usageError } from '../terminal/usage-error.ts';
import { printCall } from '../print/call.ts';
import { findCall } from '../project/find-call.ts';
import { printComparison } from '../print/call-comparison.ts';

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

export interface CallsShowOptions {
  readonly json?: true;
}

/** Prints one logged call: the segments of its prompt, its attempts and its answer. */
export const callsShow = (name: string, options: CallsShowOptions, io: CliIo): Promise<number> =>
  inProject(options, io, (root) => {
    const call = findCall(name, root);
    if (options.json === true) printJson({ ok: true, call }, io.stdout);
    else printCall(call, io);
    return 0;
  });

export interface CallsDiffOptions {
  readonly json?: true;
}

/** Prints two logged calls side by side: the differences of their requests and answers. */
export const callsDiff = (left: string, right: string, options: CallsDiffOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const comparison = await compareLogged(findCall(left, root), findCall(right, root));
    if (options.json === true) printJson({ ok: true, ...comparison }, io.stdout);
    else printComparison(comparison, io);
    return 0;
  });
