import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { engineOwner, projectRuns, runEvents } from '#engine/index.ts';
import type { LoggedEvent } from '#protocol/event-line.ts';
import { whyText } from '#protocol/response.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fromHere } from '../names/command-from-here.ts';
import { printJson, printJsonLine } from '../print/json.ts';
import { harmless, styleFor } from '../print/style.ts';
import { findRun } from '../project/find-run.ts';
import { inProject } from '../project/in-project.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface RunsEventsOptions {
  readonly follow?: true;
  readonly json?: true;
}

/** Prints the events of a run, one JSON document per line. */
export const runsEvents = (name: string, options: RunsEventsOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    if (options.follow === true && options.json === true)
      throw usageError("--follow and --json can't be combined: --follow prints events as they occur.", [
        'robosmith runs events --help',
      ]);
    const run = findRun(name, root);
    if (options.follow === true) await follow(root, run, io);
    else {
      const { events } = eventsAfter(root, run, 0, createWarner(io));
      if (options.json === true) printJson({ ok: true, run, events }, io.stdout);
      else write(events, io);
    }
    return 0;
  });

/** Returns a function that prints each warning once, since the same log is read repeatedly. */
function createWarner(io: CliIo): (text: string) => void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const printed = new Set<string>();
  return (text) => {
    if (!printed.has(text)) io.stderr.write(`${paint.yellow(`${symbols.warn} ${harmless(text)}`)}\n`);
    printed.add(text);
  };
}

/** Returns the events after this number, and warns of unreadable lines. */
function eventsAfter(root: string, run: RunId, afterSeq: number, warn: (text: string) => void) {
  const read = runEvents(root, { run, afterSeq, resolve: true });
  for (const { path: file, why } of read.unread) warn(`${file} can't be read: ${why}`);
  if (read.damaged > 0) warn(`${read.damaged} ${read.damaged === 1 ? 'line' : 'lines'} of the event log can't be read`);
  return read;
}

function write(events: readonly LoggedEvent[], io: CliIo): void {
  for (const event of events) printJsonLine(event, io.stdout);
}

const POLL_MS = 200;

/**
 * The number of polls for the last events after the end of a run. The journal records the end before these events reach
 * the log. The number is limited, because a broken disk may never store them.
 */
const LAST_POLLS = 25;

/** Follows the log until the run has finished or was interrupted, or until Ctrl-C. A halt does not end it. */
async function follow(root: string, run: RunId, io: CliIo): Promise<void> {
  const interrupted = new AbortController();
  const stop = io.onInterrupt(() => interrupted.abort());
  let last: LoggedEvent | null = null;
  let size = -1;
  let left = LAST_POLLS;
  const printHalts = createHaltPrinter(run, io);
  const warn = createWarner(io);
  try {
    while (!interrupted.signal.aborted) {
      const { standing, summary } = standingOf(root, run);
      printHalts(summary);
      const now = await sizeOfLog(root);
      if (now !== size || standing !== 'goes_on') {
        const { events } = eventsAfter(root, run, last?.seq ?? 0, warn);
        write(events, io);
        last = events.at(-1) ?? last;
        size = now;
      }
      if (standing === 'gone' || (standing === 'over' && (last?.type === 'run.finished' || left === 0))) return;
      if (standing === 'over') left -= 1;
      await setTimeout(POLL_MS, undefined, { signal: interrupted.signal }).catch(() => undefined);
    }
  } finally {
    stop();
  }
}

interface Stand {
  readonly standing: 'goes_on' | 'over' | 'gone';
  readonly summary: RunSummary | null;
}

/**
 * Returns whether more events may follow. `over`: the run has ended, but its last events may still be written. `gone`:
 * no process can write events any more, so one more read returns all of them.
 */
function standingOf(root: string, run: RunId): Stand {
  const owner = engineOwner(root);
  const summary = summaryOf(root, run);
  const isHalted = summary?.status === 'halted';
  if (owner === null) return { standing: isHalted ? 'goes_on' : 'gone', summary };
  return { standing: isHalted || summary?.status === 'running' ? 'goes_on' : 'over', summary };
}

function summaryOf(root: string, run: RunId): RunSummary | null {
  const listing = projectRuns(root).find((one) => one.run === run);
  return listing?.kind === 'run' ? listing.summary : null;
}

/**
 * Returns a function that reports each halt once with its answers, because following a halted run looks like a hanging
 * command.
 */
function createHaltPrinter(run: RunId, io: CliIo): (summary: RunSummary | null) => void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const printed = new Set<HaltId>();
  return (summary) => {
    if (summary?.status !== 'halted') return;
    const fresh = summary.halts.filter(({ halt_id }) => !printed.has(halt_id));
    for (const { halt_id } of fresh) printed.add(halt_id);
    const [first, ...others] = fresh;
    if (first === undefined) return;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    const command = fromHere(`robosmith resume ${run}`, io);
    const text = `${first.block}${more} waits for a person: ${whyText(first.why)}. ${command} shows the possible answers; press Ctrl-C to stop following.`;
    io.stderr.write(`${paint.magenta(`${symbols.halt} ${harmless(text)}`)}\n`);
  };
}

/** Returns the size of the newest log file. A new file almost never has the size of the previous one. */
async function sizeOfLog(root: string): Promise<number> {
  const found = await stat(path.join(root, '.flow', 'logs', 'events.jsonl')).catch(() => null);
  return found === null ? 0 : found.size + found.mtimeMs;
}
