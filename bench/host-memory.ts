import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectHost, remoteRun } from '../src/host/client/index.ts';
import type { NodeId } from '../src/protocol/id.ts';

const PROGRAM = fileURLToPath(new URL('../bin/robosmith.js', import.meta.url));
const EVERY = 100;

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

/** Executes runs one after the other in one host, and returns its memory in megabytes after every 100 of them. */
export async function hostMemory(runs: number): Promise<readonly number[]> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-memory-')));
  const root = path.join(base, 'project');
  mkdirSync(path.join(root, '.flow'), { recursive: true });
  mkdirSync(path.join(root, '.vision'));
  const manifest = path.join(root, '.vision/workflows.json');
  writeFileSync(manifest, JSON.stringify(MANIFEST));
  writeFileSync(path.join(root, '.vision/answers.json'), JSON.stringify(ANSWERS));
  const environment = { ...process.env, ROBOSMITH_CONFIG_DIR: path.join(base, 'config'), XDG_RUNTIME_DIR: base };
  const args = [PROGRAM, '-C', root, 'host', 'start', '--foreground', '--spawned'];
  const found = await connectHost(root, {
    environment,
    client: 'bench',
    spawn: { program: process.execPath, args, environment },
  });
  if (found.kind !== 'connected') throw new Error('there is no host');
  const { client } = found;
  const memory: number[] = [];
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
      if (count % EVERY === 0) memory.push((await client.call('status', {})).memory / 1e6);
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
  process.stdout.write(`${memory.map((megabytes) => megabytes.toFixed(1)).join(' ')} MB\n`);
}
