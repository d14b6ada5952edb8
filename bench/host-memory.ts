import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectHost, remoteRun } from '../src/host/client/index.ts';
import type { NodeId } from '../src/protocol/id.ts';

const PROGRAM = fileURLToPath(new URL('../bin/robosmith.js', import.meta.url));
/** Reports the live heap of the host, see there. */
const HOOK = new URL('report-heap.ts', import.meta.url).href;
const EVERY = 100;
/** The limit in megabytes for the growth of the live heap after the first 200 runs, by which the code is compiled. */
const MOST_GROWTH = 2;

const to = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

/** Two scripted blocks, each with 2 KB of output. */
const MANIFEST = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:A': { kind: 'scripted', answers: './answers.json' } },
  nodes: {
    Main: {
      entry_block: 'One',
      blocks: {
        One: { worker: 'Worker:A', transitions: [to('SUCCESS', 'JUMP:Two')] },
        Two: { worker: 'Worker:A', transitions: [to('SUCCESS', 'RETURN')] },
      },
    },
  },
};

const ANSWERS = {
  'Worker:A': [{ signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: 'x'.repeat(2_000) }] }],
};

export interface HostMemory {
  /** What is reachable after a garbage collection, in megabytes. It grows if something is retained. */
  readonly live: number;
  /** The memory of the process in megabytes. V8 keeps freed pages, so that it says little about retained objects. */
  readonly resident: number;
}

/** Returns the host's memory after a garbage collection. */
async function collected(pid: number, file: string): Promise<HostMemory> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (let waited = 0; waited < 600 && !existsSync(file); waited += 1) await sleep(20);
  const { heapUsed, rss } = JSON.parse(readFileSync(file, 'utf8')) as { heapUsed: number; rss: number };
  return { live: heapUsed / 1e6, resident: rss / 1e6 };
}

/** Executes runs one after the other in one host, and returns its memory after every 100 of them. */
export async function hostMemory(runs: number): Promise<readonly HostMemory[]> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-memory-')));
  const root = path.join(base, 'project');
  const heap = path.join(base, 'heap.json');
  mkdirSync(path.join(root, '.flow'), { recursive: true });
  mkdirSync(path.join(root, '.vision'));
  const manifest = path.join(root, '.vision/workflows.json');
  writeFileSync(manifest, JSON.stringify(MANIFEST));
  writeFileSync(path.join(root, '.vision/answers.json'), JSON.stringify(ANSWERS));
  const config = { ROBOSMITH_CONFIG_DIR: path.join(base, 'config'), XDG_RUNTIME_DIR: base };
  const environment = { ...process.env, ...config, ROBOSMITH_BENCH_HEAP: heap };
  const flags = ['--expose-gc', '--import', HOOK];
  const args = [...flags, PROGRAM, '-C', root, 'host', 'start', '--foreground', '--spawned'];
  const found = await connectHost(root, {
    environment,
    client: 'bench',
    spawn: { program: process.execPath, args, environment },
  });
  if (found.kind !== 'connected') throw new Error('there is no host');
  const { client } = found;
  const memory: HostMemory[] = [];
  try {
    for (let count = 1; count <= runs; count += 1) {
      const start = { node: 'Main' as NodeId };
      const begun = await client.call('run.start', {
        start,
        directory: root,
        manifest,
        input: null,
        script: null,
        step: false,
      });
      if (!begun.ok) throw new Error(begun.refusal.reason ?? 'refused');
      const run = await remoteRun(client, begun.run, 0, (message) => void process.stderr.write(`${message}\n`));
      await run.settled();
      if (count % EVERY === 0) memory.push(await collected((await client.call('status', {})).pid, heap));
    }
    return memory;
  } finally {
    await client.call('host.stop', { mode: 'force' });
    await client.gone;
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const memory = await hostMemory(Number(process.argv[2] ?? 1_000));
  const line = (which: keyof HostMemory): string => memory.map((one) => one[which].toFixed(1)).join(' ');
  const [, second, ...later] = memory.map(({ live }) => live);
  const growth = second === undefined || later.length === 0 ? 0 : (later.at(-1) ?? second) - second;
  process.stdout.write(`live heap ${line('live')} MB\nresident  ${line('resident')} MB\n`);
  process.stdout.write(`${growth <= MOST_GROWTH ? 'ok  ' : 'MISS'} growth of the live heap: ${growth.toFixed(2)} MB\n`);
  if (growth > MOST_GROWTH) process.exitCode = 1;
}
