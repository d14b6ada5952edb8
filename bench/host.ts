import { spawn as spawnProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { remoteRun } from '../src/host/client/index.ts';
import { connectHost } from '../src/host/client/index.ts';
import type { NodeId } from '../src/protocol/id.ts';

const PROGRAM = fileURLToPath(new URL('../bin/robosmith.js', import.meta.url));
const CALLS = 2_000;
const STEPS = 500;

const part = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
const p99 = (values: readonly number[]): number => part(values, 0.99);
const middle = (values: readonly number[]): number => part(values, 0.5);

const to = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

/** Two scripted blocks that jump to each other until the step limit of their node. */
const MANIFEST = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:A': { kind: 'scripted', answers: './answers.json' } },
  nodes: {
    Main: {
      entry_block: 'One',
      max_steps: STEPS,
      blocks: {
        One: { worker: 'Worker:A', transitions: [to('SUCCESS', 'JUMP:Two')] },
        Two: { worker: 'Worker:A', transitions: [to('SUCCESS', 'JUMP:One')] },
      },
    },
  },
};

export interface HostCosts {
  /** The 99th percentile of the duration of a call, in microseconds. */
  readonly call: number;
  readonly event: number;
  /** The median duration of a call, and of an echo of the same number of bytes over a bare socket, in microseconds. */
  readonly usual: number;
  readonly bare: number;
  /** The resident memory of the idle host, in megabytes. */
  readonly megabytes: number;
}

/** Measures a real host in a separate process with a client in this one. */
export async function hostCosts(): Promise<HostCosts> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-bench-')));
  const root = path.join(base, 'project');
  for (const folder of ['.vision', '.flow']) mkdirSync(path.join(root, folder), { recursive: true });
  const manifest = path.join(root, '.vision', 'workflows.json');
  writeFileSync(manifest, JSON.stringify(MANIFEST));
  writeFileSync(path.join(root, '.vision', 'answers.json'), '{"Worker:A":[{"signal":"SIGNAL:SUCCESS"}]}');
  const environment = { ...process.env, ROBOSMITH_CONFIG_DIR: path.join(base, 'config') };
  const args = [PROGRAM, '-C', root, 'host', 'start', '--foreground', '--spawned'];
  const spawn = { program: process.execPath, args, environment };
  const found = await connectHost(root, { environment, client: 'bench', spawn });
  if (found.kind !== 'connected') throw new Error('there is no host');
  const { client } = found;
  try {
    const calls: number[] = [];
    for (let n = 0; n < CALLS; n += 1) {
      const began = performance.now();
      await client.call('events.unsubscribe', { subscription: n });
      if (n > 100) calls.push((performance.now() - began) * 1_000);
    }
    const events: number[] = [];
    const begun = await client.call('run.start', {
      start: { node: 'Main' as NodeId },
      directory: root,
      manifest,
      input: null,
      script: null,
      step: false,
    });
    if (!begun.ok) throw new Error(begun.refusal.reason ?? 'refused');
    const run = await remoteRun(client, begun.run, 0, (message) => void process.stderr.write(`${message}\n`));
    run.subscribe(({ time }) => void events.push(Math.max(0, Date.now() - time) * 1_000));
    await run.settled();
    const { memory } = await client.call('status', {});
    const known = { call: p99(calls), usual: middle(calls), event: p99(events) };
    return { ...known, bare: await bareRoundTrip(base), megabytes: memory / 1e6 };
  } finally {
    await client.call('host.stop', { mode: 'force' });
    await client.gone;
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

const ECHO = `const { createServer } = require('node:net');
createServer((socket) => socket.pipe(socket)).listen(process.argv[1], () => console.log('listens'));`;

/**
 * Measures the median round trip over a bare socket, in microseconds, to an echo server in another process like the
 * host.
 */
async function bareRoundTrip(base: string): Promise<number> {
  const place = process.platform === 'win32' ? `\\\\.\\pipe\\robosmith-bench-${process.pid}` : path.join(base, 'echo');
  const child = spawnProcess(process.execPath, ['-e', ECHO, place], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const socket = createConnection(place);
  const taken: number[] = [];
  for (let n = 0; n < CALLS; n += 1) {
    const began = performance.now();
    socket.write('x'.repeat(100));
    await once(socket, 'data');
    if (n > 100) taken.push((performance.now() - began) * 1_000);
  }
  socket.destroy();
  child.kill();
  return middle(taken);
}
