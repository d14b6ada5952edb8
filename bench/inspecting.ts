import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInspector } from '../src/actors/inspector/index.ts';
import { openEngine } from '../src/engine/open/open-engine.ts';
import { startRun } from '../src/engine/run/start-run.ts';
import { inspectMethods } from '../src/host/server/inspect-methods.ts';
import type { Caller } from '../src/host/server/methods/methods.ts';
import type { CompiledWorkflow } from '../src/protocol/compiled.ts';
import type { Response } from '../src/protocol/response.ts';
import type { RunOptions, RunPorts } from '../src/protocol/run.ts';
import { timed } from './measure.ts';
import { optionsFor, ports, ring } from './workflows.ts';

/*
 * Measures how much the inspector slows down a run: without clients, and while a client of the host follows all actors.
 */

const roots: string[] = [];
// Folders are removed only at exit, for the reason given in `durable.ts`.
process.on('exit', () => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

const RUNS = 100;
const STEPS = 100;
const STEPS_OF_ONE = 1_000;

function checked({ success, reason }: Response): void {
  if (!success) throw new Error(reason ?? 'failed');
}

function ringOptions(steps: number): RunOptions {
  let count = 0;
  return optionsFor(() => {
    count += 1;
    return {
      signal: count >= steps ? 'SIGNAL:DONE' : 'SIGNAL:SUCCESS',
      append: [{ type: 'CODE_OUTPUT', content: 'x'.repeat(100) }],
    };
  });
}

async function stepWith(more: Partial<RunPorts>, steps: number): Promise<number> {
  const workflow = ring();
  const took = await timed(async () =>
    checked(await startRun(workflow, ringOptions(steps), { ...ports(), ...more }).settled()),
  );
  return took / steps;
}

/** Returns the microseconds per step of a run in memory without an inspector. */
export const unknownStep = (steps: number): Promise<number> => stepWith({}, steps);

/** Returns the microseconds per step of a run in memory that is registered with an inspector without clients. */
export function unwatchedStep(steps: number): Promise<number> {
  const inspector = createInspector({ now: () => 0, redact: (text) => text, warn: () => undefined });
  return stepWith({ observe: (name, root) => inspector.watch(name, root as never) }, steps);
}

/** Creates a client that reads immediately. Its notices are serialised as JSON, as on a connection to the host. */
function reader(): { readonly caller: Caller; readonly read: () => number } {
  let characters = 0;
  const caller: Caller = {
    isLocal: false,
    notify: (method, params) => {
      characters += Buffer.from(JSON.stringify({ jsonrpc: '2.0', method, params })).length;
      return new Promise((resolve) => setImmediate(resolve));
    },
    onGone: () => undefined,
  };
  return { caller, read: () => characters };
}

type Work = (workflow: CompiledWorkflow, start: (options: RunOptions) => Promise<Response>) => Promise<void>;

/** Measures, in microseconds, runs of an engine that writes its files, with or without an inspecting client. */
async function ofEngine(isInspected: boolean, work: Work): Promise<number> {
  const root = mkdtempSync(path.join(process.env['ROBOSMITH_BENCH_FOLDER'] ?? tmpdir(), 'robosmith-inspecting-'));
  mkdirSync(path.join(root, '.flow'));
  roots.push(root);
  const found = openEngine(root, {
    warn: (message) => {
      throw new Error(message);
    },
  });
  if (!found.ok) throw new Error('the engine of a new project is owned');
  const { engine } = found;
  const { caller, read } = reader();
  if (isInspected) await inspectMethods(engine.inspect)['inspect.open']({}, caller);
  const workflow = ring();
  const took = await timed(() => work(workflow, (options) => engine.start(workflow, options, root).settled()));
  engine.close();
  if (isInspected !== read() > 1e5) throw new Error(`the client has read ${read()} bytes`);
  return took;
}

/** Returns the microseconds per step of one run that is kept on disk. */
export const keptStepInspected = async (isInspected: boolean): Promise<number> =>
  (await ofEngine(isInspected, async (_, start) => checked(await start(ringOptions(STEPS_OF_ONE))))) / STEPS_OF_ONE;

/**
 * Returns the microseconds per step of 100 concurrent runs on disk. If `isInspected`, the client follows all of them.
 */
export const manyInspected = async (isInspected: boolean): Promise<number> =>
  (await ofEngine(isInspected, async (_, start) =>
    (await Promise.all(Array.from({ length: RUNS }, () => start(ringOptions(STEPS))))).forEach(checked),
  )) /
  (RUNS * STEPS);
