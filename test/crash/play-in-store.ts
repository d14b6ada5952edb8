import path from 'node:path';
import type { Place } from '#actors/journal/index.ts';
import { workflowOf } from '#compiler/index.ts';
import type { KeptRun } from '#engine/durable/begin-run.ts';
import { sweepLeftovers } from '#engine/open/sweep-leftovers.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { createDurableBench } from '../support/durable-run.ts';
import { lastTime } from './begun-before.ts';
import { clockGoingOn } from './clock-going-on.ts';
import { deadlyFileCalls } from './deadly-file-calls.ts';
import type { Job, RunReport, Task, JobReport } from './job.ts';
import { createKillSwitch, type KillSwitch } from './kill-switch.ts';
import { filesIn, lookBack } from './look-back.ts';
import { type Settled, settleWithPerson } from './person.ts';
import { entriesOf, prepare, storedCase } from './start-task.ts';

type Bench = ReturnType<typeof createDurableBench>;

/**
 * Returns a generator of ids. They are unique in the project folder, and the same whenever this job is repeated. The
 * first id is that of the run if the run is new.
 */
function countedIds(pass: number, task: number): (bytes: number) => string {
  const two = (value: number): string => value.toString(16).padStart(2, '0');
  let count = -1;
  return (bytes) => {
    count += 1;
    return two(task) + two(pass) + count.toString(16).padStart(bytes * 2 - 4, '0');
  };
}

/** Advances the virtual clock to the time of the journals' last entry. */
async function goOnFrom(bench: Bench, time: number): Promise<void> {
  const ahead = time - bench.clock.now();
  if (ahead <= 0) return;
  void bench.clock.sleep(ahead, new AbortController().signal, '/');
  bench.clock.advance();
  await bench.rest();
}

interface Playing {
  readonly job: Job;
  /** The folder of the runs, with file calls that have no kill points. */
  readonly place: Place;
  readonly bench: Bench;
  readonly reach: KillSwitch['reach'];
  readonly store: ReturnType<Bench['open']>;
}

function begin({ job, place, bench, reach, store }: Playing, task: Task, index: number): KeptRun | null {
  if (task.kind === 'look') return null;
  const stored = storedCase(task.file);
  const run = task.kind === 'resume' ? task.run : (`r${countedIds(job.pass, index)(6)}` as RunId);
  const entries = entriesOf(place, task);
  const { observed, options } = prepare({ job, index, stored, entries, run, reach, clock: bench.clock });
  const clock = clockGoingOn(bench.clock, stored.graph, entries);
  const ports = { ...bench.ports, clock, newId: countedIds(job.pass, index) };
  if (task.kind === 'resume') return store.resume(run, observed, ports);
  return store.start(workflowOf(stored.graph), options, ports, null);
}

/** Does a job in a store of runs in virtual time. The sequence of kill points is therefore always the same. */
export async function playInStore(job: Job): Promise<JobReport> {
  const { reach, points } = createKillSwitch(job.killAt);
  const folder = path.join(job.root, '.flow');
  const calls = deadlyFileCalls(fileCalls, reach);
  const place: Place = { calls: fileCalls, folder };
  const bench = createDurableBench(calls, folder, () => '');
  await goOnFrom(bench, Math.max(0, ...job.tasks.map((task) => lastTime(entriesOf(place, task)))));
  const store = bench.open();
  if (job.pass > 0) sweepLeftovers({ calls, folder });
  const runs = job.tasks.map((task, index) => begin({ job, place, bench, reach, store }, task, index));
  const settled: (Settled | null)[] = [];
  for (const [index, run] of runs.entries())
    settled.push(run === null ? null : await settleWithPerson(place, job.root, index, run, bench.settle));
  for (const run of runs) run?.release();
  await bench.rest();
  store.close();
  const reports: RunReport[] = [];
  for (const [index, task] of job.tasks.entries()) {
    const run = runs[index]?.id ?? (task.kind === 'start' ? null : task.run);
    if (run !== null) reports.push(await lookBack(place, run, settled[index] ?? null, storedCase(task.file).forks));
  }
  return { kind: 'done', runs: reports, points, files: filesIn(folder), warnings: bench.warnings };
}
