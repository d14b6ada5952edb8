import { setTimeout } from 'node:timers/promises';
import { engineOwner, isElsewhere } from '#engine/index.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { HostStatus } from '#protocol/host.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { ageText } from '../print/time-text.ts';
import { bytesText } from '#protocol/amount-text.ts';
import { printJson } from '../print/json.ts';
import { printRefusal } from '../print/refused.ts';
import { styleFor } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { connectToHost } from '../run/connect-to-host.ts';
import { busy, busyText } from '../run/engine-trouble.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface HostStartOptions {
  readonly foreground?: true;
  readonly spawned?: true;
  readonly idle?: string;
  readonly json?: true;
}

export interface HostStopOptions {
  readonly force?: true;
  readonly json?: true;
}

/** The maximum idle time in minutes: one year. */
const MOST_IDLE = 525_600;

export function idleOf(text = '10'): number {
  const minutes = /^\d{1,6}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  if (minutes >= 0 && minutes <= MOST_IDLE) return minutes;
  throw usageError(`"${text}" is not a number of minutes.`, ['robosmith host start --help']);
}

/** Starts the engine host if it is not running. */
export const hostStart = (options: HostStartOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const idle = idleOf(options.idle);
    if (options.foreground === true)
      return (await import('../host/run-host.ts')).runHost(root, { ...options, minutes: idle }, io);
    const wanted = { spawn: true, ...(options.idle === undefined ? {} : { idle: options.idle }) } as const;
    const found = await connectToHost(root, wanted, io);
    if (found.kind === 'owned') return printRefusal(busy(found.owner), options, io);
    if (found.kind === 'nobody') throw new Error('no engine host was found or started');
    const { client, spawned } = found;
    const status = await client.call('status', {});
    client.close();
    if (options.json === true) printJson({ ok: true, started: spawned, host: status }, io.stdout);
    else {
      const { paint, symbols } = styleFor(io.stderr, io);
      const { pid, foreground } = status;
      const does = spawned ? 'has started' : 'is already running';
      if (foreground === true)
        io.stderr.write(`A command runs the engine in its own process, ${pid}, until it ends.\n`);
      else io.stderr.write(`${paint.green(symbols.ok)} The engine host ${does}: process ${pid}.\n`);
    }
    return 0;
  });

async function findHost(root: string, io: CliIo): Promise<HostClient | null> {
  const found = await connectToHost(root, { anyVersion: true }, io);
  return found.kind === 'connected' ? found.client : null;
}

export const hostStatus = (options: { readonly json?: true }, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const client = await findHost(root, io);
    const status = client === null ? null : await client.call('status', {});
    client?.close();
    if (options.json === true) printJson({ ok: true, host: status }, io.stdout);
    else if (status === null) io.stdout.write(withoutHost(root));
    else printStatus(status, io);
    return 0;
  });

function withoutHost(root: string): string {
  const owner = engineOwner(root);
  if (owner !== null && isElsewhere(owner)) return `${busyText(owner)}\n`;
  const own = owner === null ? '' : ` Process ${owner.pid} runs the engine and takes no requests.`;
  return `No engine host is running.${own}\n`;
}

function printStatus(status: HostStatus, io: CliIo): void {
  const { paint } = styleFor(io.stdout, io);
  const { pid, version, since, running, waiting, clients, due, memory, stopping } = status;
  const { busy: sessions = [] } = status;
  const list = (runs: readonly string[]): string => (runs.length === 0 ? 'none' : runs.join(', '));
  const now = Date.now();
  const rows: readonly (readonly [string, string])[] = [
    ['process', `${pid}, RoboSmith ${version}, for ${ageText(since, now)}, ${bytesText(memory)}`],
    ['running', list(running)],
    ...(sessions.length === 0
      ? []
      : [['sessions', `${list(sessions)}: being made, merged, held or discarded`] as const]),
    ['waiting', list(waiting)],
    // The client of this command is not counted.
    ['clients', String(Math.max(0, clients - 1))],
    ...(due === null ? [] : [['continues', due <= now ? 'now' : `automatically in ${ageText(now, due)}`] as const]),
    ...(stopping ? [['stops', 'as soon as nothing runs'] as const] : []),
  ];
  for (const [name, text] of rows) io.stdout.write(`${paint.dim(name.padEnd(9))} ${text}\n`);
}

/** The time in milliseconds to wait until a process has released the engine lock. */
const LETTING_GO_MS = 10_000;

async function untilReleased(root: string, pid: number): Promise<void> {
  const began = Date.now();
  while (engineOwner(root)?.pid === pid && Date.now() - began < LETTING_GO_MS) await setTimeout(20);
}

/** Stops the host once no run is active; with `--force`, at once. Interrupted runs can be resumed. */
export const hostStop = (options: HostStopOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const client = await findHost(root, io);
    if (client === null) {
      if (options.json === true) printJson({ ok: true, stopped: false, interrupted: [] }, io.stdout);
      else io.stderr.write(withoutHost(root));
      return 0;
    }
    const { pid } = client.about;
    const { running, busy: sessions = [] } = await client.call('status', {});
    const { paint, symbols } = styleFor(io.stderr, io);
    const keeping = [...running, ...sessions];
    if (keeping.length > 0 && options.force !== true)
      io.stderr.write(`Waiting for ${keeping.join(', ')}; --force stops it now.\n`);
    await client.call('host.stop', { mode: options.force === true ? 'force' : 'wait' });
    client.close();
    await untilReleased(root, pid);
    const interrupted = options.force === true ? running : [];
    if (options.json === true) printJson({ ok: true, stopped: true, interrupted }, io.stdout);
    else {
      io.stderr.write(`${paint.green(symbols.ok)} The engine host has stopped.\n`);
      for (const run of interrupted) io.stderr.write(`  ${paint.cyan(`robosmith resume ${run}`)} continues it.\n`);
    }
    return 0;
  });
