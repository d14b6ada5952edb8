import { setTimeout } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { HostClient } from '#protocol/host-client.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { connectToHost } from '../run/connect-to-host.ts';
import { childEnvironment } from '../terminal/child-environment.ts';

/** Returns the command that opens a URL. On Windows, a bare name would be searched in the current folder first. */
function openerOf({ env, platform }: Pick<CliIo, 'env' | 'platform'>): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['/usr/bin/open'];
  if (platform !== 'win32') return ['xdg-open'];
  return [`${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\rundll32.exe`, 'url.dll,FileProtocolHandler'];
}

/** Opens a URL in the user's browser. False if no program for that could be started. */
function openBrowser(address: string, io: Pick<CliIo, 'env' | 'platform'>): Promise<boolean> {
  const [program, ...args] = openerOf(io);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore', env: childEnvironment(io) });
  child.once('error', () => resolve(false));
  child.once('spawn', () => {
    child.unref();
    resolve(true);
  });
  return promise;
}

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
    'Another process runs the engine and takes no requests; its run is shown after it has ended.',
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

/** Returns the folder with the bundled views; null if they were not built. */
export function findViews(): string | null {
  const here = import.meta.dirname;
  const folders = ['../webview', '../../../dist/webview'].map((folder) => path.resolve(here, folder));
  return folders.find((folder) => existsSync(path.join(folder, 'view.js'))) ?? null;
}
