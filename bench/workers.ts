import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
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

const COMMAND = ['/bin/sh', '-c', 'echo 1 passed'] as const;

/** Microseconds of a command through execa alone, in a group of its own. */
export async function bareCommand(times: number): Promise<number> {
  const [file, ...args] = COMMAND;
  const took = await timed(async () => {
    for (let time = 0; time < times; time += 1)
      await execa(file, args, { all: true, detached: true, stdin: 'ignore', cwd: tmpdir() });
  });
  return took / times;
}

/** The same as a worker runs it: found, marked, registered, read, its log kept, its tree looked for. */
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
      const reading = readReport('test', root);
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

/** Microseconds to read 50 MB of a log. */
export async function readLog(): Promise<number> {
  const reading = readReport('test', '/project');
  return timed(() => {
    for (let left = BYTES; left > 0; left -= BLOCK.length) reading.add(BLOCK);
    reading.end();
  });
}

/** The same, only split into lines, and each looked at once. */
export async function splitLog(): Promise<number> {
  let failed = 0;
  return timed(() => {
    for (let left = BYTES; left > 0; left -= BLOCK.length)
      for (const line of `${left}${BLOCK}`.split('\n')) if (/^\s*not ok \d+ /.test(line)) failed += 1;
    return failed;
  });
}
