import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRunStore } from '../src/engine/durable/run-store.ts';
import { startRun } from '../src/engine/run/start-run.ts';
import { fileCalls } from '../src/io/files/file-calls.ts';
import { nextTurn } from '../src/io/clock/turn-budget.ts';
import { timed } from './measure.ts';
import { optionsFor, ports, ring } from './workflows.ts';

const projects: string[] = [];

/** The folder that the starting process provides and removes, or undefined. */
const FOLDER = process.env['ROBOSMITH_BENCH_FOLDER'];

/**
 * Folders are removed only at exit: for some seconds after a deletion, ext4 checks each deleted inode before it reuses
 * one, and the next round would pay for the deletions of this one.
 */
process.on('exit', () => {
  if (FOLDER === undefined) for (const root of projects) rmSync(root, { recursive: true, force: true });
});

/**
 * Returns the `.flow` folder of a new project on the disk of the temporary folder. On a file system in memory the
 * measurements would be meaningless.
 */
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

/**
 * Returns options whose worker ends the workflow `ring` after this many steps and, if `append` is set, appends a segment at each
 * step.
 */
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

/** Returns the microseconds of one append of this many bytes and its fdatasync. */
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

/** Returns the bytes that one step of the three-block workflow `ring` writes to its journal. */
export async function bytesAStep(): Promise<number> {
  const folder = project();
  const store = openStore(folder);
  const run = store.start(ring(), counted(200, false), ports(), null);
  await run.settled();
  const size = fs.statSync(path.join(folder, 'runs', run.id, 'journal.jsonl')).size;
  store.close();
  return Math.round(size / 200);
}

/** Returns the microseconds per step of a run that is kept in memory only. */
export const stepInMemory = async (steps: number): Promise<number> =>
  (await timed(() => startRun(ring(), counted(steps, false), ports()).settled())) / steps;

export async function keptStep(steps: number): Promise<number> {
  const folder = project();
  const store = openStore(folder);
  const took = await timed(() => store.start(ring(), counted(steps, false), ports(), null).settled());
  store.close();
  return took / steps;
}

/**
 * Returns the microseconds per step of a run with a journal: with about 100 segments in its payload, and with about
 * 10,000.
 */
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

/** Returns the microseconds per step of this many concurrent runs with journals. */
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

/**
 * Measures the floor of `manyKeptRuns`, a bare group commit: each of 100 chains waits until its line is written and
 * synced together with the lines of all other waiting chains. `unsynced` is the number of bytes that each step also
 * writes to a second file, which is not synced.
 */
export async function bareGroupCommit(bytes: number, unsynced = 0): Promise<number> {
  const folder = project();
  const descriptor = fs.openSync(path.join(folder, 'floor'), 'a');
  const beside = fs.openSync(path.join(folder, 'beside'), 'a');
  const line = `${'x'.repeat(bytes - 1)}\n`;
  const other = 'x'.repeat(unsynced);
  let pending: string[] = [];
  let waiting: (() => void)[] = [];
  const flush = (): void => {
    const [lines, who] = [pending, waiting];
    [pending, waiting] = [[], []];
    fs.writeSync(descriptor, lines.join(''));
    fs.fdatasyncSync(descriptor);
    if (unsynced > 0) fs.writeSync(beside, lines.map(() => other).join(''));
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
  for (const open of [descriptor, beside]) fs.closeSync(open);
  return took / (RUNS * STEPS);
}

const knownRuns = fileURLToPath(new URL('known-runs.ts', import.meta.url));
const cli = fileURLToPath(new URL('../bin/robosmith.js', import.meta.url));

/** Creates a project with one run that halts after about this many journal lines. */
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

/**
 * Returns the milliseconds, beyond those of `node -e 0`, that a cold process takes to read the journal of a halted run
 * and abort the run.
 */
export async function coldResume(lines: number): Promise<number> {
  const { root, run } = await haltedProject(lines);
  const bare = await timed(() => void spawnSync(process.execPath, ['-e', '0']));
  const took = await robosmith(root, ['resume', run, '--abort', '--trust', '--json'], 1);
  return (took - bare) / 1000;
}

/** Returns the resident memory, in bytes, of an engine in a separate process that has loaded this many runs. */
function memoryOfEngine(root: string, count: number): number {
  const { stdout, stderr } = spawnSync(process.execPath, [knownRuns, root], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  const { runs, bytes } = JSON.parse(stdout) as { readonly runs: number; readonly bytes: number };
  if (runs !== count) throw new Error(`it knows ${runs} runs`);
  return bytes;
}

/**
 * Measures `robosmith runs` and `robosmith inbox` over this many halted runs in milliseconds, and the memory of an
 * engine that has loaded them all in bytes.
 */
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
