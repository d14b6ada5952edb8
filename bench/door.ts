import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEngine } from '../src/engine/open/open-engine.ts';
import { startRun } from '../src/engine/run/start-run.ts';
import type { CompiledWorkflow } from '../src/protocol/compiled.ts';
import type { Response } from '../src/protocol/response.ts';
import type { RunOptions } from '../src/protocol/run.ts';
import { timed } from './measure.ts';
import { optionsFor, ports, ring, workflowOf } from './workflows.ts';

/*
 * Measures the cost of runs for a program that uses the library: through `openEngine`, with the engine lock, intents,
 * the event log and a listener.
 */

const roots: string[] = [];
process.on('exit', () => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

const RUNS = 100;
const STEPS = 100;

function project(): string {
  const root = mkdtempSync(path.join(process.env['ROBOSMITH_BENCH_FOLDER'] ?? tmpdir(), 'robosmith-door-'));
  mkdirSync(path.join(root, '.flow'));
  roots.push(root);
  return root;
}

function opened(root: string) {
  const found = openEngine(root, {
    warn: (message) => {
      throw new Error(message);
    },
  });
  if (!found.ok) throw new Error('the engine of a new project is owned');
  return found.engine;
}

function checked({ success, reason }: Response): void {
  if (!success) throw new Error(reason ?? 'failed');
}

/** Adds a subscription to all events of a run, as used by a caller that shows progress. */
const heard = (options: RunOptions): RunOptions => ({ ...options, onEvent: () => undefined });

function ringOptions(steps: number): RunOptions {
  let count = 0;
  return heard(
    optionsFor(() => {
      count += 1;
      return {
        signal: count >= steps ? 'SIGNAL:DONE' : 'SIGNAL:SUCCESS',
        append: [{ type: 'CODE_OUTPUT', content: 'x'.repeat(100) }],
      };
    }),
  );
}

/** Returns the microseconds per step of 100 concurrent runs with journals. */
export async function manyRunsThroughTheDoor(root = project()): Promise<number> {
  const engine = opened(root);
  const workflow = ring();
  const took = await timed(async () => {
    const runs = Array.from({ length: RUNS }, () => engine.start(workflow, ringOptions(STEPS), root).settled());
    (await Promise.all(runs)).forEach(checked);
  });
  engine.close();
  return took / (RUNS * STEPS);
}

/** Returns the bytes in the files below a folder. */
const bytesBelow = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);

/** Returns the bytes that a step of `manyRunsThroughTheDoor` leaves in the journals and in the event log. */
export async function bytesThroughTheDoor(): Promise<{ readonly journal: number; readonly events: number }> {
  const root = project();
  await manyRunsThroughTheDoor(root);
  const ofStep = (folder: string): number => Math.round(bytesBelow(path.join(root, '.flow', folder)) / (RUNS * STEPS));
  return { journal: ofStep('runs'), events: ofStep('logs') };
}

const AI = { 'Worker:Step': { kind: 'ai', provider: 'openai', model: 'none' } };
const goes = (action: string) => ({
  worker: 'Worker:Step',
  transitions: [{ on_signal: 'SIGNAL:FAIL_DEFAULT', action }],
});
const manifestOf = (nodes: object): CompiledWorkflow =>
  workflowOf({ version: 1, entry: 'Main', max_depth: 64, workers: AI, nodes });

const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Returns a workflow with a FORK into this many different nodes of one block. */
const forkOfNodes = (width: number): CompiledWorkflow =>
  manifestOf({
    Main: {
      entry_block: 'A',
      blocks: {
        A: goes(
          `FORK:${numbered(width)
            .map((n) => `N${n}`)
            .join(',')}`,
        ),
        B: goes('RETURN'),
      },
    },
    ...Object.fromEntries(numbered(width).map((n) => [`N${n}`, { entry_block: 'A', blocks: { A: goes('RETURN') } }])),
  });

/** Returns a workflow with this many nested CALLs of different nodes. */
const nestedNodes = (depth: number): CompiledWorkflow =>
  manifestOf(
    Object.fromEntries(
      numbered(depth + 1).map((n) => {
        const action = n === depth ? 'RETURN' : `CALL:N${n + 1}`;
        const blocks = n === depth ? { A: goes(action) } : { A: goes(action), B: goes('RETURN') };
        return [n === 0 ? 'Main' : `N${n}`, { entry_block: 'A', blocks }];
      }),
    ),
  );

const SUCCESS = heard(optionsFor(() => ({ signal: 'SIGNAL:SUCCESS' })));

const inMemory = (workflow: CompiledWorkflow): Promise<number> =>
  timed(async () => checked(await startRun(workflow, SUCCESS, ports()).settled()));

async function kept(workflow: CompiledWorkflow): Promise<number> {
  const root = project();
  const engine = opened(root);
  const took = await timed(async () => checked(await engine.start(workflow, SUCCESS, root).settled()));
  engine.close();
  return took;
}

/** Microseconds per branch of a FORK of 100 different nodes: without and with a journal. */
const branchInMemory = async (): Promise<number> => (await inMemory(forkOfNodes(100))) / 100;
export const branchKept = async (): Promise<number> => (await kept(forkOfNodes(100))) / 100;

/** Microseconds per level of 50 nested CALLs of different nodes: without and with a journal. */
const levelInMemory = async (): Promise<number> => (await inMemory(nestedNodes(50))) / 50;
const levelKept = async (): Promise<number> => (await kept(nestedNodes(50))) / 50;

/** Returns the milliseconds from opening the engine to the end of a run that was interrupted after this many steps. */
export async function resumeThroughTheDoor(steps: number): Promise<number> {
  const root = project();
  const workflow = ring();
  const first = opened(root);
  let count = 0;
  const options = optionsFor(() => {
    count += 1;
    if (count === steps) setImmediate(() => run.interrupt());
    return { signal: count > steps ? 'SIGNAL:DONE' : 'SIGNAL:SUCCESS' };
  });
  const run = first.start(workflow, options, root);
  const { reason } = await run.settled();
  if (reason !== 'interrupted') throw new Error(reason ?? 'it was not interrupted');
  first.close();
  count = steps;
  const { workers } = options;
  const took = await timed(async () => {
    const engine = opened(root);
    checked(await engine.resume(run.id, root, workers === undefined ? {} : { workers }).settled());
    engine.close();
  });
  return took / 1000;
}

/**
 * Run as a program, this file prints one sample of each cost, measured in a cold process. Use it to compare two
 * versions.
 */
if (import.meta.main) {
  const samples = {
    branch_in_memory: branchInMemory,
    level_in_memory: levelInMemory,
    branch_kept: branchKept,
    level_kept: levelKept,
    resume_ms: () => resumeThroughTheDoor(1_000),
    many_runs: manyRunsThroughTheDoor,
  };
  for (const [name, sample] of Object.entries(samples)) console.log(name, (await sample()).toFixed(1));
}
