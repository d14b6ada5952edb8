import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { remoteSessions } from '../src/host/client/index.ts';
import { connectHost } from '../src/host/client/index.ts';
import type { NodeId } from '../src/protocol/id.ts';
import type { SessionApi, SessionOrder } from '../src/protocol/session-api.ts';
import { bigRepository } from './sessions.ts';

const PROGRAM = fileURLToPath(new URL('../bin/robosmith.js', import.meta.url));
const ALIVE = 50;
const RUNNING = 8;
/** The milliseconds of one clock tick in /proc: Linux reports processor time in ticks of 1/100 s. */
const TICK_MS = 10;
const WATCHED_MS = 15_000;

const MANIFEST = {
  version: 1,
  entry: 'Wait',
  max_parallel: RUNNING,
  workers: { 'Worker:Wait': { kind: 'command', command: ['sleep', '600'] } },
  nodes: {
    Wait: {
      entry_block: 'Wait',
      blocks: { Wait: { worker: 'Worker:Wait', transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: 'RETURN' }] } },
    },
  },
};

export interface ManySessions {
  /** The resident memory of the host, in megabytes. */
  readonly megabytes: number;
  /** The percentage of one processor that the idle host uses; NaN where it can't be measured. */
  readonly idlePercent: number;
}

/** Returns the milliseconds of processor time that a process has used so far; NaN outside of Linux. */
function processorMs(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const order = (title: string, manifest: string | null): SessionOrder => ({
  title,
  plan: [`src/part-${title}/**`],
  base: null,
  attach: null,
  priority: null,
  after: [],
  isDraft: false,
  job:
    manifest === null
      ? null
      : { start: { node: 'Wait' as NodeId }, manifest, input: null, script: null, stepMode: false },
});

async function open(api: SessionApi, manifest: string): Promise<void> {
  for (let index = 1; index < ALIVE; index += 1) {
    const { id } = await api.create(order(String(index), index < RUNNING ? manifest : null));
    await api.moved(id, 0);
  }
}

/** Measures a real host with 50 sessions that have worktrees of 1,000 files; a command runs in 8 of them. */
export async function manySessions(): Promise<ManySessions> {
  const { root, base, remove } = bigRepository(1_000);
  const manifest = path.join(root, '.vision', 'workflows.json');
  for (const folder of ['.vision', '.flow']) mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(manifest, JSON.stringify(MANIFEST));
  const environment = { ...process.env, ROBOSMITH_CONFIG_DIR: path.join(base, 'config') };
  const robosmith = (...args: readonly string[]): void =>
    void execFileSync(process.execPath, [PROGRAM, '-C', root, ...args], { env: environment, stdio: 'ignore' });
  robosmith('run', 'Wait', '--session', 'first', '--detach', '--trust');
  const found = await connectHost(root, { environment, client: 'bench' });
  if (found.kind !== 'connected') throw new Error('there is no host');
  const { client } = found;
  try {
    await open(remoteSessions(client, null), manifest);
    const { pid } = await client.call('status', {});
    await setTimeout(5_000);
    const before = processorMs(pid);
    await setTimeout(WATCHED_MS);
    const used = processorMs(pid) - before;
    const { memory, running } = await client.call('status', {});
    if (running.length !== RUNNING) throw new Error(`${running.length} runs are under way, not ${RUNNING}`);
    return { megabytes: memory / 1e6, idlePercent: (used / WATCHED_MS) * 100 };
  } finally {
    await client.call('host.stop', { mode: 'force' });
    await client.gone;
    remove();
  }
}
