import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { RunId } from '#protocol/id.ts';
import { connectHost, type HostClient } from '#host/client/index.ts';
import { serveHost } from '#host/server/index.ts';
import { chain } from '../../e2e/cli/durable.ts';

/**
 * The program of each block. It appends its name to `ran`, waits while a file `hold-<name>` exists, and exits with 1 if
 * a file `fail-<name>` exists.
 */
const WORK = `import { appendFileSync, existsSync } from 'node:fs';
const [name] = process.argv.slice(2);
appendFileSync('ran', name + '\\n');
while (existsSync('hold-' + name)) await new Promise((resolve) => setTimeout(resolve, 10));
process.exitCode = existsSync('fail-' + name) ? 1 : 0;
`;

type Begin = Partial<Parameters<typeof serveHost>[0]>;

export type HostBench = ReturnType<typeof hostBench>;

/**
 * Creates a project with the blocks A, B and C in sequence. `serve` starts a host for it in this process, with a real
 * socket.
 */
export function hostBench(files: Readonly<Record<string, string>> = {}) {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'robosmith-host-')));
  const root = path.join(base, 'project');
  const runtime = path.join(base, 'run');
  const said: string[] = [];
  const environment = { ROBOSMITH_CONFIG_DIR: path.join(base, 'config'), XDG_RUNTIME_DIR: runtime };
  const file = (name: string): string => path.join(root, name);
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(file(name)), { recursive: true });
    writeFileSync(file(name), text);
  };
  mkdirSync(runtime, { mode: 0o700 });
  const all = { '.vision/workflows.json': JSON.stringify(chain()), 'work.mjs': WORK, '.flow/.keep': '', ...files };
  for (const [name, text] of Object.entries(all)) write(name, text);

  const clients: HostClient[] = [];
  const ends: (() => Promise<unknown>)[] = [];
  const serve = async (more: Begin = {}) => {
    const served = await serveHost({
      root,
      version: 'test',
      environment: { ...environment },
      lives: { idleMs: 3_600_000 },
      trusts: () => Promise.resolve(true),
      log: (message: string) => void said.push(message),
      ...more,
    });
    if (!served.ok) throw new Error(`process ${served.owner.pid} owns the engine`);
    const { host } = served;
    const stop = async (): Promise<void> => {
      await host.stop('force');
      await host.stopped;
    };
    ends.push(stop);
    return { ...host, stop };
  };
  const client = async (): Promise<HostClient> => {
    const found = await connectHost(root, { environment, client: 'test' });
    if (found.kind !== 'connected') throw new Error(`no host answers: ${found.kind}`);
    clients.push(found.client);
    return found.client;
  };
  const start = async (asker: HostClient, input: string | null = null): Promise<RunId> => {
    const begun = await asker.call('run.start', {
      start: { node: 'Main' as never },
      directory: root,
      manifest: file('.vision/workflows.json'),
      input,
      script: null,
      step: false,
    });
    if (!begun.ok) throw new Error(JSON.stringify(begun.refusal));
    return begun.run;
  };
  const ran = (): readonly string[] => {
    try {
      return readFileSync(file('ran'), 'utf8').trimEnd().split('\n');
    } catch {
      return [];
    }
  };
  return {
    base,
    root,
    environment,
    said,
    file,
    write,
    serve,
    client,
    start,
    ran,
    unlink: (name: string) => rmSync(file(name), { recursive: true }),
    /** Waits until this many executions of blocks have begun. */
    untilRan: async (count: number): Promise<void> => {
      while (ran().length < count) await setTimeout(10);
    },
    remove: async (): Promise<void> => {
      for (const one of clients) one.close();
      for (const end of ends) await end();
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
