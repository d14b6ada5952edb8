import { refusalResponse } from '#engine/authoring.ts';
import { projectRuns, runDetails } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fromHere } from '../names/command-from-here.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { printJson } from '../print/json.ts';
import { printRefusal } from '../print/refused.ts';
import { printNext } from '../print/problem.ts';
import { type Reporter, reporterFor } from '../print/reporter.ts';
import { styleFor } from '../print/style.ts';
import { findStep } from '../project/find-run.ts';
import { inProject } from '../project/in-project.ts';
import { stateTroubleOf } from '../project/state-trouble.ts';
import { resumeRun } from '../run/resume-run.ts';
import { forkRun } from '../run/fork-run.ts';
import { storedRunCommands } from '../names/stored-run-commands.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface RunsForkOptions {
  readonly start?: boolean;
  readonly trust?: true;
  readonly json?: true;
  readonly jsonl?: true;
}

/**
 * Forks a run: the new run starts from the state before one step of the old run. The run of a session is forked into a
 * new session, with the files of that step.
 */
export const runsFork = (text: string, options: RunsForkOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    if (options.json === true && options.jsonl === true)
      throw usageError("--json and --jsonl can't be combined.", ['robosmith runs fork --help']);
    const { run, step } = findStep(text, root);
    checkStep(root, run, step);
    const reporter = reporterFor(options, undefined, io);
    const forked = await forkRun({ run, step }, root, reporter.warn, io);
    if (!forked.ok) return printRefusal(forked.refusal, options, io);
    if (options.start === false) return printForked(forked.run, { run, step }, options, io);
    const response = await goOnWith(root, forked.run, options, reporter, io);
    reporter.ended(response);
    return exitCode(response);
  });

function stepsOf(root: string, run: RunId): number {
  const listing = projectRuns(root).find((one) => one.run === run);
  if (listing === undefined) return 0;
  return listing.kind === 'damaged' ? listing.steps : listing.summary.steps;
}

function checkStep(root: string, run: RunId, step: number): void {
  const steps = stepsOf(root, run);
  if (step >= 1 && step <= steps) return;
  const range = steps === 0 ? 'it has none yet' : steps === 1 ? 'it has only step 1' : `it has steps 1 to ${steps}`;
  throw usageError(`${run} has no step ${step}: ${range}.`, [`robosmith runs show ${run}`]);
}

function printForked(
  made: RunId,
  from: { readonly run: RunId; readonly step: number },
  { json }: RunsForkOptions,
  io: CliIo,
): number {
  const next = [storedRunCommands(made, null, io).command('resume')];
  if (json === true) {
    printJson({ ok: true, run: made, forked_from: from, next: next.map((one) => fromHere(one, io)) }, io.stdout);
    return 0;
  }
  const { paint, symbols } = styleFor(io.stdout, io);
  io.stdout.write(`${paint.green(symbols.ok)} ${made}  ${paint.dim(`forked from ${from.run}@${from.step}`)}\n`);
  printNext(next, io);
  return 0;
}

async function goOnWith(
  root: string,
  run: RunId,
  options: RunsForkOptions,
  reporter: Reporter,
  io: CliIo,
): Promise<Response> {
  const trusting = storedRunCommands(run, null, io).command('resume', '--trust');
  try {
    const details = runDetails(root, run);
    if (details === null) return refusalResponse('corrupt_state', { message: `${run} was removed again.` });
    const trust = options.trust === true;
    return await resumeRun(
      { root, details, given: [], retry: null, migrate: false, trust, trusting },
      reporter,
      options,
      io,
    );
  } catch (thrown) {
    const trouble = stateTroubleOf(thrown, root, run);
    if (trouble === null) throw thrown;
    return trouble;
  }
}
