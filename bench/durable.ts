import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRunStore } from '../src/engine/durable/run-store.ts';
import { startRun } from '../src/engine/run/start-run.ts';
import { fileCalls } from '../src/io/files/file-calls.ts';
import { nextTurn } from '../src/io/clock/next-turn.ts';
import { timed } from './measure.ts';
import { optionsFor, ports, ring } from './workflows.ts';

const projects: string[] = [];

/** Of who has started this process, and removes it. */
const FOLDER = process.env['ROBOSMITH_BENCH_FOLDER'];

/** Not before the end: for some seconds ext4 looks at each inode that was deleted before it gives a new one, and a round would pay for that of the round before. */
process.on('exit', () => {
  if (FOLDER === undefined) for (const root of projects) rmSync(root, { recursive: true, force: true });
});

/** `.flow` of a project on the disk that this one is on; what is in memory only would be no measure. */
function project(): string {
  const root = mkdtempSync(path.join(FOLDER ?? tmpdir(), 'robosmith-durable-'));
  projects.push(root);
  const folder = path.join(root, '.flow');
  mkdirSync(folder);
  return folder;
}

const openStore = (folder: string, calls = fileCalls) =>
  createRunStore({
    place: { calls, folder },
    nextTurn,
    elapsed: () => performance.now(),
    warn: (message) => {
      throw new Error(message);
    },
    lastEvent: () => 0,
  });

/** A worker that ends the ring after so many steps, and adds a segment at each when asked to. */
function counted(steps: number, append: boolean, marks?: number[]) {
  let count = 0;
  return optionsFor(() => {
    count += 1;
    marks?.push(performance.now());
    return {
      signal: count >= steps ? 'SIGNAL:DONE' : 'SIGNAL:SUCCESS',
      ...(append ? { append: [{ type: 'CODE_OUTPUT', content: 'x'.repeat(100) }] } : {}),
    };
  });
}

/** Microseconds of one append of as many bytes as a step writes, and its fdatasync. */
export async function syncedAppend(times: number, bytes: number): Promise<number> {
  const folder = project();
  const line = Buffer.from(`${'x'.repeat(bytes - 1)}\n`);
  const descriptor = fs.openSync(path.join(folder, 'floor'), 'a');
  const took = await timed(() => {
    for (let time = 0; time < times; time += 1) {
      fs.writeSync(descriptor, line);
      fs.fdatasyncSync(descriptor);
    }
  });
  fs.closeSync(descriptor);
  return took / times;
}

/** Bytes that a step of the ring writes to its journal. */
export async function bytesAStep(): Promise<number> {
  const folder = project();
  const store = openStore(folder);
  const run = store.start(ring(), counted(200, false), ports(), null);
  await run.settled();
  const size = fs.statSync(path.join(folder, 'runs', run.id, 'journal.jsonl')).size;
  store.close();
  return Math.round(size / 200);
}

/** Microseconds a step, in memory and kept. */
export const stepInMemory = async (steps: number): Promise<number> =>
  (await timed(() => startRun(ring(), counted(steps, false), ports()).settled())) / steps;

export async function keptStep(steps: number): Promise<number> {
  const folder = project();
  const store = openStore(folder);
  const took = await timed(() => store.start(ring(), counted(steps, false), ports(), null).settled());
  store.close();
  return took / steps;
}

/** Microseconds a step while the payload holds about 100 segments, and while it holds about 10,000. */
export async function keptStepByPayload(): Promise<readonly [number, number]> {
  const folder = project();
  const store = openStore(folder);
  const marks: number[] = [];
  await store.start(ring(), counted(10_100, true, marks), ports(), null).settled();
  store.close();
  const mean = (from: number, until: number): number =>
    (((marks[until] ?? 0) - (marks[from] ?? 0)) * 1000) / (until - from);
  return [mean(50, 550), mean(9_550, 10_050)];
}

const RUNS = 100;
const STEPS = 100;

/** Microseconds a step of so many kept runs at once. */
export async function manyKeptRuns(steps = STEPS, runs = RUNS): Promise<number> {
  const folder = project();
  const store = openStore(folder);
  const workflow = ring();
  const took = await timed(() =>
    Promise.all(
      Array.from({ length: runs }, () => store.start(workflow, counted(steps, false), ports(), null).settled()),
    ),
  );
  store.close();
  return took / (runs * steps);
}

/** The same as a bare loop: each of a hundred chains waits until its line is written and synced, with the lines of all who wait. */
export async function bareGroupCommit(bytes: number): Promise<number> {
  const folder = project();
  const descriptor = fs.openSync(path.join(folder, 'floor'), 'a');
  const line = `${'x'.repeat(bytes - 1)}\n`;
  let pending: string[] = [];
  let waiting: (() => void)[] = [];
  const flush = (): void => {
    const [lines, who] = [pending, waiting];
    [pending, waiting] = [[], []];
    fs.writeSync(descriptor, lines.join(''));
    fs.fdatasyncSync(descriptor);
    for (const go of who) go();
  };
  const commit = (): Promise<void> => {
    if (pending.length === 0) setImmediate(flush);
    pending.push(line);
    return new Promise((resolve) => waiting.push(resolve));
  };
  const chain = async (): Promise<void> => {
    for (let step = 0; step < STEPS; step += 1) await commit();
  };
  const took = await timed(() => Promise.all(Array.from({ length: RUNS }, chain)));
  fs.closeSync(descriptor);
  return took / (RUNS * STEPS);
}

const knownRuns = fileURLToPath(new URL('known-runs.ts', import.meta.url));
const cli = fileURLToPath(new URL('../bin/robosmith.js', import.meta.url));

/** A project with a run of about so many journal lines that halts at its end. */
async function haltedProject(lines: number): Promise<{ readonly root: string; readonly run: string }> {
  const folder = project();
  const calls = { ...fileCalls, datasync: () => undefined };
  const store = openStore(folder, calls);
  const steps = Math.floor(lines / 3);
  const run = store.start(ring(), haltingAfter(steps), ports(), '.');
  const response = await run.settled();
  if (response.reason !== 'halted') throw new Error(`the run ended as ${response.reason ?? 'completed'}`);
  run.release();
  store.close();
  return { root: path.dirname(folder), run: run.id };
}

function haltingAfter(steps: number) {
  let count = 0;
  return optionsFor(() => {
    count += 1;
    return {
      signal: count >= steps ? 'SIGNAL:HALT' : 'SIGNAL:SUCCESS',
      append: [{ type: 'CODE_OUTPUT', content: 'x'.repeat(100) }],
    };
  });
}

const robosmith = (root: string, args: readonly string[], exit: number): Promise<number> =>
  timed(() => {
    const { status, stderr } = spawnSync(process.execPath, [cli, ...args], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: Infinity,
    });
    if (status !== exit) throw new Error(`robosmith ${args.join(' ')}: exit ${status ?? 'none'}\n${stderr}`);
  });

/** Milliseconds above `node -e 0` in which a cold process has gone through a journal and ended its halted run. */
export async function coldResume(lines: number): Promise<number> {
  const { root, run } = await haltedProject(lines);
  const bare = await timed(() => void spawnSync(process.execPath, ['-e', '0']));
  const took = await robosmith(root, ['resume', run, '--abort', '--trust', '--json'], 1);
  return (took - bare) / 1000;
}

/** Resident memory of an engine in a process of its own that knows so many runs, in bytes. */
function memoryOfEngine(root: string, count: number): number {
  const { stdout, stderr } = spawnSync(process.execPath, [knownRuns, root], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  const { runs, bytes } = JSON.parse(stdout) as { readonly runs: number; readonly bytes: number };
  if (runs !== count) throw new Error(`it knows ${runs} runs`);
  return bytes;
}

/** Milliseconds of `robosmith runs` and `inbox` over a thousand halted runs, and the memory of an engine that knows them all, in bytes. */
export async function manyHaltedRuns(count: number) {
  const folder = project();
  const root = path.dirname(folder);
  const store = openStore(folder, { ...fileCalls, datasync: () => undefined });
  const workflow = ring();
  const runs = Array.from({ length: count }, () => store.start(workflow, haltingAfter(10), ports(), '.'));
  for (const run of runs) await run.settled();
  for (const run of runs) run.release();
  store.close();
  const list = (await robosmith(root, ['runs', '--json'], 0)) / 1000;
  const inbox = (await robosmith(root, ['inbox', '--json'], 0)) / 1000;
  const bytes = memoryOfEngine(root, count);
  return { bytes, list, inbox };
}
