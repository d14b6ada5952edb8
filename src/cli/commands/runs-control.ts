import { setTimeout } from 'node:timers/promises';
import { engineOwner, projectRuns } from '#engine/index.ts';
import type { ControlAnswer, ControlVerb } from '#protocol/control.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { RunId } from '#protocol/id.ts';
import { isFinal, type RunStatus } from '#protocol/run-status.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { printRefusal, printRefused } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { findRun } from '../project/find-run.ts';
import { inProject } from '../project/in-project.ts';
import { storedRunCommands } from '../names/stored-run-commands.ts';
import { withClient } from '../run/with-client.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface RunsControlOptions {
  readonly json?: true;
}

/** The maximum time in milliseconds to wait until a run has stopped. A worker may take 5 s to clean up. */
const STOPPING_MS = 8_000;

/**
 * Asks the owner of the engine to stop, pause or cancel a run. A run that no process executes is already stopped, and
 * can be cancelled.
 */
export const runsControl = (verb: ControlVerb, name: string, options: RunsControlOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const run = findRun(name, root);
    const status = statusOf(root, run);
    if (verb === 'cancel' && (status === 'completed' || status === 'failed'))
      throw usageError(`${run} is ${status}: there is nothing to cancel.`, [
        storedRunCommands(run, null, io).command('runs show'),
      ]);
    const isActive = engineOwner(root) !== null && (status === 'running' || status === 'halted');
    if (isOver(status) || (verb !== 'cancel' && !isActive))
      return printOutcome({ run, verb, status, done: false }, options, io);
    const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
    const done = await withClient(root, { io, warn }, (client) => control(client, run, verb));
    if (!done.ok) return printRefusal(done.refusal, options, io);
    const { accepted, message } = done.value;
    const after = statusOf(root, run);
    if (!accepted) return notDone({ run, verb, status: after }, message, options, io);
    return printOutcome({ run, verb, status: after, done: true }, options, io);
  });

/** Sends the request, and waits until the run has stopped if it was asked to. */
async function control(client: HostClient, run: RunId, verb: ControlVerb): Promise<ControlAnswer> {
  const answer = await client.call(`run.${verb}`, { run });
  if (!answer.accepted || verb === 'pause') return answer;
  const inTime = new AbortController();
  const late = setTimeout(STOPPING_MS, undefined, { signal: inTime.signal }).catch(() => undefined);
  // An error is the run's own, which its status shows.
  await Promise.race([client.call('run.settled', { run }).catch(() => undefined), late]);
  inTime.abort();
  return answer;
}

type Status = RunStatus | 'damaged';

const statusOf = (root: string, run: RunId): Status => {
  const listing = projectRuns(root).find((one) => one.run === run);
  return listing?.kind === 'run' ? listing.summary.status : 'damaged';
};

const isOver = (status: Status): boolean => status !== 'damaged' && isFinal(status);

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
