import { setTimeout } from 'node:timers/promises';
import { askOwner, engineOwner, projectRuns } from '#engine/index.ts';
import type { ControlVerb } from '#protocol/control.ts';
import type { RunId } from '#protocol/id.ts';
import type { RunStatus } from '#protocol/journal.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { printRefusal, printRefused } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { findRun } from '../project/find-run.ts';
import { inProject } from '../project/in-project.ts';
import { storedRunCommands } from '../names/stored-run-commands.ts';
import { waitUntilStopped } from '../run/wait-until-stopped.ts';
import { stateTrouble, withEngine } from '../run/with-engine.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface RunsControlOptions {
  readonly json?: true;
}

/** The time limit for the answer of another process, in milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Asks the process that executes a run to stop, pause or cancel it. A run without a process is already stopped, and is
 * cancelled here.
 */
export const runsControl = (verb: ControlVerb, name: string, options: RunsControlOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const run = findRun(name, root);
    const status = statusOf(root, run);
    if (verb === 'cancel' && (status === 'completed' || status === 'failed'))
      throw usageError(`${run} is ${status}: there is nothing to cancel.`, [
        storedRunCommands(run, null, io).command('runs show'),
      ]);
    if (isOver(status)) return printOutcome({ run, verb, status, done: false }, options, io);
    const owner = engineOwner(root);
    if (owner === null) return withoutOwner(root, run, verb, status, options, io);
    if (verb !== 'cancel' && status !== 'running' && status !== 'halted')
      return printOutcome({ run, verb, status, done: false }, options, io);
    try {
      const answer = await askOwner(root, run, verb, `robosmith runs ${verb}, process ${process.pid}`, PATIENCE_MS);
      if (answer === 'no_answer') return noAnswer(owner.pid, options, io);
      if (!answer.accepted) return notDone({ run, verb, status: statusOf(root, run) }, answer.message, options, io);
    } catch (thrown) {
      const trouble = stateTrouble(thrown);
      if (trouble === null) throw thrown;
      return printRefusal(trouble, options, io);
    }
    const after =
      verb === 'pause'
        ? statusOf(root, run)
        : await waitUntilStopped(() => statusOf(root, run), { now: Date.now, sleep: (ms) => setTimeout(ms) });
    return printOutcome({ run, verb, status: after, done: true }, options, io);
  });

type Status = RunStatus | 'damaged';

const statusOf = (root: string, run: RunId): Status => {
  const listing = projectRuns(root).find((one) => one.run === run);
  return listing?.kind === 'run' ? listing.summary.status : 'damaged';
};

const isOver = (status: Status): boolean => status === 'completed' || status === 'failed' || status === 'cancelled';

async function withoutOwner(
  root: string,
  run: RunId,
  verb: ControlVerb,
  status: Status,
  options: RunsControlOptions,
  io: CliIo,
): Promise<number> {
  if (verb !== 'cancel') return printOutcome({ run, verb, status, done: false }, options, io);
  const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
  const done = await withEngine(root, warn, (engine) => engine.cancel(run));
  if (!done.ok) return printRefusal(done.refusal, options, io);
  return printOutcome({ run, verb, status: statusOf(root, run), done: true }, options, io);
}

/**
 * Explains why nothing was done. A run that is not active is already stopped, but an unfinished run that could not be
 * cancelled is an error.
 */
function notDone(
  { run, verb, status }: Omit<ControlOutcome, 'done'>,
  why: string,
  options: RunsControlOptions,
  io: CliIo,
): number {
  if (verb !== 'cancel' || isOver(status)) return printOutcome({ run, verb, status, done: false }, options, io);
  const isDamaged = status === 'damaged';
  const next = [isDamaged ? 'robosmith doctor' : storedRunCommands(run, null, io).command('runs show')];
  return printRefused({ code: isDamaged ? 'corrupt_state' : 'refused', message: why, next }, 1, options, io);
}

function noAnswer(pid: number, options: RunsControlOptions, io: CliIo): number {
  const message = `Process ${pid}, which runs this project's engine, did not answer within ${PATIENCE_MS / 1000} s, and the request was cancelled. It may be busy: try again, or end that process.`;
  return printRefused({ code: 'engine_busy', message, next: ['robosmith runs'] }, 4, options, io);
}

interface ControlOutcome {
  readonly run: RunId;
  readonly verb: ControlVerb;
  readonly status: Status;
  /** Whether the command changed anything. */
  readonly done: boolean;
}

function printOutcome({ run, verb, status, done }: ControlOutcome, { json }: RunsControlOptions, io: CliIo): number {
  if (json === true) {
    printJson({ ok: true, run, verb, done, status }, io.stdout);
    return 0;
  }
  const { paint, symbols } = styleFor(io.stderr, io);
  io.stderr.write(`${paint.green(symbols.ok)} ${run} ${sentence(verb, status, done)}\n`);
  if (status === 'interrupted' || status === 'paused')
    printNext([storedRunCommands(run, null, io).command('resume')], io);
  return 0;
}

function sentence(verb: ControlVerb, status: Status, done: boolean): string {
  if (!done) return `is not running: it is ${status}.`;
  if (verb === 'pause') return status === 'paused' ? 'is paused.' : 'pauses after the current step.';
  return status === 'running' || status === 'halted' ? `is about to ${verb}.` : `is ${status}.`;
}
