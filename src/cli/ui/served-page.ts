import { setTimeout } from 'node:timers/promises';
import type { HostClient } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { connectToHost } from '../run/connect-to-host.ts';
import { openBrowser } from './open-browser.ts';

/** Reads the option `--port` of a command; 0 stands for any free port. Throws `usage`. */
export function portOf(text: string | undefined, command: string): number {
  const port = text === undefined ? 0 : Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw usageError(`"${text ?? ''}" is not a port.`, [`robosmith ${command} --help`]);
}

/** Connects to the project's host, and starts one if there is none. Throws `host_failed` if another process owns the engine. */
export async function connectForPage(root: string, io: CliIo): Promise<HostClient> {
  const found = await connectToHost(root, { spawn: true }, io);
  if (found.kind === 'connected') return found.client;
  throw new RoboSmithError(
    'host_failed',
    'Another process runs the engine without a host; its run is shown after it has ended.',
    { next: ['robosmith host status'] },
  );
}

/** Opens a page in the user's browser. If that fails, prints that the address has to be opened by hand. */
export async function openPage(address: string, io: CliIo): Promise<void> {
  if (!(await openBrowser(address, io))) io.stderr.write('No browser could be opened. Open the URL yourself.\n');
}

/** The duration of a timer in milliseconds that keeps the process running until Ctrl-C: the maximum of `setTimeout`. */
const FOREVER_MS = 2_147_483_647;

export async function untilInterrupted(io: CliIo): Promise<void> {
  const over = new AbortController();
  const stop = io.onInterrupt(() => over.abort());
  await setTimeout(FOREVER_MS, undefined, { signal: over.signal }).catch(() => undefined);
  stop();
}
