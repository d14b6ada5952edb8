import { readFileSync } from 'node:fs';
import path from 'node:path';
import { decodeIntents } from '#actors/engine-lock/intents.ts';
import { readEvents } from '#actors/event-log/index.ts';
import type { Place } from '#actors/journal/index.ts';
import { workflowOf } from '#compiler/index.ts';
import type { Engine } from '#engine/open/engine.ts';
import { openEngine } from '#engine/open/open-engine.ts';
import type { KeptRun } from '#engine/durable/begin-run.ts';
import { wallClock } from '#io/clock/clock.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { deadlyFileCalls } from './deadly-file-calls.ts';
import type { Job, Task, JobReport } from './job.ts';
import { createKillSwitch, type KillSwitch } from './kill-switch.ts';
import { filesIn, lookBack } from './look-back.ts';
import { settleWithPerson } from './person.ts';
import { entriesOf, prepare, storedCase } from './start-task.ts';

function begin(engine: Engine, job: Job, task: Task, place: Place, reach: KillSwitch['reach']): KeptRun | null {
  if (task.kind === 'look') return null;
  const stored = storedCase(task.file);
  const entries = entriesOf(place, task);
  const { observed, options } = prepare({ job, index: 0, stored, entries, run: null, reach, clock: wallClock });
  return task.kind === 'resume'
    ? engine.resume(task.run, job.root, observed)
    : engine.start(workflowOf(stored.graph), options, job.root);
}

/** Reports events of a run that are duplicated, out of order or damaged. */
function eventProblems({ folder }: Place, run: RunId): readonly string[] {
  const { events, damaged } = readEvents(fileCalls, folder, { run });
  const wrong = events.filter(({ seq }, index) => seq <= (events[index - 1]?.seq ?? 0));
  return [
    ...wrong.map(({ seq, type }) => `event ${seq}, ${type}, came after one with that number or a higher one`),
    ...(damaged > 0 ? [`${damaged} lines of the event log are damaged`] : []),
  ];
}

function intentProblems({ folder }: Place): readonly string[] {
  const left = decodeIntents(readFileSync(path.join(folder, 'intent.lock')))?.runs;
  if (left === undefined) return ['intent.lock is damaged'];
  return left.map(({ run }) => `${run} is still dispatched`);
}

/** Duration of a slow sync in milliseconds, above the limit at which the next sync moves to the thread pool. */
const SLOW_MS = 5;

/**
 * File calls whose synchronous syncs are slow and whose asynchronous syncs are fast, so that the engine alternates
 * between them.
 */
const slowDisk: FileCalls = {
  ...fileCalls,
  datasync: (descriptor) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SLOW_MS);
    fileCalls.datasync(descriptor);
  },
};

/** Does a job in a complete engine with lock, intents, events and control requests, on the machine's clock. */
export async function playInEngine(job: Job): Promise<JobReport> {
  const { reach, points } = createKillSwitch(job.killAt);
  const [task] = job.tasks;
  if (task === undefined) throw new Error('there is nothing to do');
  const place: Place = { calls: fileCalls, folder: path.join(job.root, '.flow') };
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const disk = job.killAt !== null && job.killAt % 2 === 0 ? slowDisk : fileCalls;
  const opened = openEngine(job.root, { warn, calls: deadlyFileCalls(disk, reach) });
  if (!opened.ok) throw new Error(`the engine of a dead process is not to be had: ${JSON.stringify(opened)}`);
  const { engine } = opened;
  const run = begin(engine, job, task, place, reach);
  const settled = run === null ? null : await settleWithPerson(place, job.root, 0, run, (one) => one.settled());
  run?.release();
  engine.close();
  const id = run?.id ?? (task.kind === 'start' ? null : task.run);
  if (id === null) throw new Error('there is no run');
  const report = await lookBack(place, id, settled, storedCase(task.file).forks);
  warnings.push(...eventProblems(place, id), ...intentProblems(place));
  return { kind: 'done', runs: [report], points, files: filesIn(place.folder), warnings };
}
