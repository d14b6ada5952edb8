import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { engineOwner, projectRuns, runEvents } from '#engine/index.ts';
import type { LoggedEvent } from '#protocol/event-line.ts';
import type { RunId } from '#protocol/id.ts';
import type { CliIo } from '../cli-io.ts';
import { printJson } from '../print/json.ts';
import { harmless, styleFor } from '../print/style.ts';
import { findRun } from '../project/find-run.ts';
import { inProject } from '../project/in-project.ts';
import { usageError } from '../usage-error.ts';

export interface RunsEventsOptions {
  readonly follow?: true;
  readonly json?: true;
}

/** The events of a run, a line each. */
export const runsEvents = (name: string, options: RunsEventsOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    if (options.follow === true && options.json === true)
      throw usageError('--follow streams lines; --json prints one document at the end.', [
        'robosmith runs events --help',
      ]);
    const run = findRun(name, root);
    if (options.json === true) printJson({ ok: true, run, events: tell(root, run, 0, io).events }, io.stdout);
    else if (options.follow === true) await follow(root, run, io);
    else write(tell(root, run, 0, io).events, io);
    return 0;
  });

/** Those after this number; what could not be read is said. */
function tell(root: string, run: RunId, afterSeq: number, io: CliIo) {
  const read = runEvents(root, { run, afterSeq, resolve: true });
  const { paint, symbols } = styleFor(io.stderr, io);
  const warn = (text: string): void => io.stderr.write(`${paint.yellow(`${symbols.warn} ${harmless(text)}`)}\n`);
  for (const { path: file, why } of read.unread) warn(`${file} can't be read: ${why}`);
  if (read.damaged > 0) warn(`${read.damaged} ${read.damaged === 1 ? 'line' : 'lines'} of the event log can't be read`);
  return read;
}

function write(events: readonly LoggedEvent[], io: CliIo): void {
  for (const event of events) io.stdout.write(`${JSON.stringify(event)}\n`);
}

const POLL_MS = 200;

/** Its end stands in the journal before its last events are in the log: they are waited for this often, where a disk takes them at all. */
const LAST_POLLS = 25;

/** Until the run has ended: finished, or cut off; or until Ctrl-C. What waits for a person is waited for. */
async function follow(root: string, run: RunId, io: CliIo): Promise<void> {
  const interrupted = new AbortController();
  const stop = io.onInterrupt(() => interrupted.abort());
  let last: LoggedEvent | null = null;
  let size = -1;
  let left = LAST_POLLS;
  try {
    while (!interrupted.signal.aborted) {
      const standing = standingOf(root, run);
      const now = await sizeOfLog(root);
      if (now !== size || standing !== 'goes_on') {
        const { events } = tell(root, run, last?.seq ?? 0, io);
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

/** `over`: its last events may still be written. `gone`: whoever could write some is, and what is read after it was asked is all. */
function standingOf(root: string, run: RunId): 'goes_on' | 'over' | 'gone' {
  if (engineOwner(root) === null) return statusOf(root, run) === 'halted' ? 'goes_on' : 'gone';
  const status = statusOf(root, run);
  return status === 'running' || status === 'halted' ? 'goes_on' : 'over';
}

const statusOf = (root: string, run: RunId): string | null => {
  const listing = projectRuns(root).find((one) => one.run === run);
  return listing?.kind === 'run' ? listing.summary.status : null;
};

/** Of the newest file; a new one is smaller or larger, and hardly ever of the same size. */
async function sizeOfLog(root: string): Promise<number> {
  const found = await stat(path.join(root, '.flow', 'logs', 'events.jsonl')).catch(() => null);
  return found === null ? 0 : found.size + found.mtimeMs;
}
