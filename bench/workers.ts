import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { createLogs } from '../src/actors/journal/index.ts';
import { createProcessRegister } from '../src/actors/process-register/index.ts';
import { fileCalls } from '../src/io/files/file-calls.ts';
import { newId } from '../src/io/clock/identity.ts';
import { liveness } from '../src/io/process/process-identity.ts';
import { createProcesses } from '../src/io/process/process.ts';
import { readReport } from '../src/workers/reports/read-report.ts';
import { runLogged } from '../src/workers/commands/run-logged.ts';
import { timed } from './measure.ts';
import { describeModule } from '../src/engine/modules/describe-module.ts';
import { moduleWorker } from '../src/engine/modules/module-worker.ts';
import { wallClock } from '../src/io/clock/clock.ts';
import { findModule } from '../src/io/project/module-file.ts';
import type { Services } from '../src/protocol/services.ts';
import type { BlockMemory, Worker } from '../src/protocol/worker.ts';

const COMMAND = ['/bin/sh', '-c', 'echo 1 passed'] as const;

/** Returns the microseconds of a command that execa alone runs in its own process group. */
export async function bareCommand(times: number): Promise<number> {
  const [file, ...args] = COMMAND;
  const took = await timed(async () => {
    for (let time = 0; time < times; time += 1)
      await execa(file, args, { all: true, detached: true, stdin: 'ignore', cwd: tmpdir() });
  });
  return took / times;
}

/**
 * Returns the microseconds of the same command as a worker runs it: with its executable resolved, its environment
 * marked, its process registered, its output parsed and logged, and its process tree searched.
 */
export async function workerCommand(times: number): Promise<number> {
  const root = mkdtempSync(path.join(tmpdir(), 'robosmith-workers-'));
  const folder = path.join(root, '.flow');
  mkdirSync(folder);
  const warn = (message: string): never => {
    throw new Error(message);
  };
  const processes = createProcesses(
    createProcessRegister({ calls: fileCalls, folder, self: () => liveness.self, identify: liveness.identify, warn }),
  );
  const services = { logs: createLogs({ calls: fileCalls, folder, newId }), progress: () => undefined };
  const took = await timed(async () => {
    for (let time = 0; time < times; time += 1) {
      const reading = readReport('test');
      const { signal } = new AbortController();
      await runLogged(processes, { argv: COMMAND, cwd: root }, services, signal, reading.add);
      reading.end();
    }
  });
  rmSync(root, { recursive: true });
  return took / times;
}

const LINES = [
  '    ok 17 - a test of no importance # time=0.31ms\n',
  ' ✓ src/some/folder/of/the/project.test.ts > and a test in it 3ms\n',
  'src/some/folder/of/the/project.ts: nothing to say about it\n',
  'not ok 18 - one that failed\n',
];

const BYTES = 50 * 1024 * 1024;
const BLOCK = LINES.join('').repeat(300);

/** Measures, in microseconds, parsing 50 MB of a test log. */
export async function readLog(): Promise<number> {
  const reading = readReport('test');
  return timed(() => {
    for (let left = BYTES; left > 0; left -= BLOCK.length) reading.add(BLOCK);
    reading.end();
  });
}

/** Measures, in microseconds, the floor of `readLog`: splitting the same log into lines and matching each line once. */
export async function splitLog(): Promise<number> {
  let failed = 0;
  return timed(() => {
    for (let left = BYTES; left > 0; left -= BLOCK.length)
      for (const line of `${left}${BLOCK}`.split('\n')) if (/^\s*not ok \d+ /.test(line)) failed += 1;
    return failed;
  });
}

const MODULE = `export const W = {
  sideEffects: 'none',
  execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: 'done' }] }),
};`;

/** A payload of 20 segments of 1 kB, which is large for one block. */
const PAYLOAD = Array.from({ length: 20 }, (_, index) => ({
  id: `s.${index}`,
  type: 'NOTE',
  content: 'x'.repeat(1_000),
  source: null,
  meta: {},
  timestamp: 0,
}));

async function executions(worker: Worker, times: number): Promise<number> {
  const services = { clock: wallClock, files: null, commands: {}, progress: () => undefined } as unknown as Services;
  const { signal } = new AbortController();
  const took = await timed(async () => {
    for (let time = 0; time < times; time += 1)
      await worker.execute({ payload: [...PAYLOAD] } as unknown as BlockMemory, services, signal);
  });
  return took / times;
}

/** Measures, in microseconds, an execution of a project module in its own thread, and in this thread. */
export async function moduleExecutions(): Promise<{
  readonly inThread: () => Promise<number>;
  readonly here: () => Promise<number>;
  readonly done: () => void;
}> {
  const root = mkdtempSync(path.join(tmpdir(), 'robosmith-modules-'));
  const file = path.join(root, 'w.mjs');
  writeFileSync(file, MODULE);
  const module = await findModule(file, path.dirname(file));
  if (module === null) throw new Error('the module was just written');
  const described = await describeModule(module, ['W'], wallClock);
  const found = 'problem' in described ? described : described.exports['W'];
  if (found === undefined || 'problem' in found) throw new Error(found?.problem ?? 'no export');
  const threaded = moduleWorker(module, 'W', found);
  const own = ((await import(module.href)) as { readonly W: Worker }).W;
  return {
    inThread: () => executions(threaded, 200),
    here: () => executions(own, 200),
    done: () => rmSync(root, { recursive: true }),
  };
}
