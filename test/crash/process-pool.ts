import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Job, JobReport } from './job.ts';

const PROGRAM = fileURLToPath(new URL('./engine-process.ts', import.meta.url));
const LOAD_GUARD = fileURLToPath(new URL('../../src/io/threads/load-guard.ts', import.meta.url));
const MODULE_THREAD = fileURLToPath(new URL('../../src/engine/modules/module-thread.ts', import.meta.url));

/**
 * Bundles a program into one file. Without it, each process would spend most of its time on loading modules and
 * stripping types.
 */
export async function bundleProgram(program = PROGRAM): Promise<{ readonly file: string; remove(): void }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-program-'));
  const file = path.join(folder, 'program.js');
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  await build({
    // A custom worker module is executed in a thread. The files with which the thread starts must be next to the program.
    entryPoints: { program, 'module-thread': MODULE_THREAD, 'load-guard': LOAD_GUARD },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    mainFields: ['module', 'main'],
    logLevel: 'error',
    sourcemap: 'inline',
    sourcesContent: false,
    // A native module can't be bundled. It is loaded only to read a user's keys.
    external: ['@napi-rs/keyring'],
    banner: {
      js: "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);",
    },
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Time limit of a job in milliseconds, sufficient even on a busy machine. A process that exceeds it is considered hung.
 */
const MOST_MS = 60_000;

interface EngineProcess {
  do(job: Job): Promise<JobReport>;
  /** Kills the process and resolves when it has ended. */
  kill(): Promise<void>;
}

/** Starts one process. `onGone` is called when it has ended. */
function startProcess(file: string, onGone: () => void): EngineProcess {
  const gone = Promise.withResolvers<undefined>();
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  let errors = '';
  let answer: ((report: JobReport) => void) | null = null;
  let timer: NodeJS.Timeout | null = null;
  const give = (report: JobReport): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    answer?.(report);
    answer = null;
  };
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    const end = said.indexOf('\n');
    if (end === -1) return;
    const report = JSON.parse(said.slice(0, end)) as JobReport;
    // The report of a kill is ignored here, because a kill counts only once the process has ended.
    if (report.kind === 'killed') return;
    said = said.slice(end + 1);
    give(report);
  });
  child.on('close', (code, signal) => {
    onGone();
    gone.resolve(undefined);
    const last = said.split('\n')[0] ?? '';
    if (signal === 'SIGKILL' && last !== '') return give(JSON.parse(last) as JobReport);
    give({ kind: 'threw', message: `the process ended with ${signal ?? code}: ${errors}` });
  });
  return {
    kill: () => {
      child.kill('SIGKILL');
      return gone.promise;
    },
    do: (job) =>
      new Promise((resolve) => {
        answer = resolve;
        timer = setTimeout(() => {
          give({ kind: 'threw', message: `nothing came of it within ${MOST_MS} ms` });
          child.kill('SIGKILL');
        }, MOST_MS);
        child.stdin.write(`${JSON.stringify(job)}\n`);
      }),
  };
}

/** Creates a pool of idle processes, so that a new one is ready as soon as one is killed. */
export function createPool(file: string, size: number) {
  const idle: EngineProcess[] = [];
  const all = new Set<EngineProcess>();
  const waiting: ((worker: EngineProcess) => void)[] = [];
  let closed = false;

  const offer = (worker: EngineProcess): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(worker);
    else next(worker);
  };
  const start = (): void => {
    if (closed) return;
    const worker = startProcess(file, () => {
      all.delete(worker);
      const at = idle.indexOf(worker);
      if (at !== -1) idle.splice(at, 1);
      start();
    });
    all.add(worker);
    offer(worker);
  };
  for (let count = 0; count < size; count += 1) start();

  return {
    do: async (job: Job): Promise<JobReport> => {
      const worker = idle.shift() ?? (await new Promise<EngineProcess>((resolve) => waiting.push(resolve)));
      const report = await worker.do(job);
      if (report.kind === 'done') offer(worker);
      // A process whose job threw has an unknown state, so it is not reused.
      else void worker.kill();
      return report;
    },
    close: (): void => {
      closed = true;
      for (const one of all) void one.kill();
    },
  };
}

export type Pool = ReturnType<typeof createPool>;
