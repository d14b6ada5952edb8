import { realpath } from 'node:fs/promises';
import type { Executable } from '#engine/authoring.ts';
import { serveHost } from '#host/server/index.ts';
import { hostLog, hostLogFile } from '#host/client/index.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { programVersion } from '../names/program-version.ts';
import { printRefusal } from '../print/refused.ts';
import { harmless } from '../print/style.ts';
import { failureMessage } from '../print/why-it-failed.ts';
import { busy, stateTrouble } from '../run/engine-trouble.ts';
import { isTrustedHere } from '../trust/confirm-directory.ts';

export interface RunHostOptions {
  /** True if a client started the host. The host then reports only to its log. */
  readonly spawned?: true;
  readonly minutes: number;
  readonly json?: true;
}

/** Runs the engine host of a project until it is stopped or has been idle for long enough. */
export async function runHost(root: string, { spawned, minutes, json }: RunHostOptions, io: CliIo): Promise<number> {
  const write = spawned === true ? hostLog(hostLogFile(root)) : (text: string): void => io.stderr.write(harmless(text));
  if (spawned === true) sayInto(write);
  const log = (message: string): void => write(`${new Date().toISOString()} ${message}\n`);
  const place = await realpath(root);
  const parts = {
    root,
    version: await programVersion(),
    environment: process.env,
    keychain: io.keychain,
    trusts: (list: readonly Executable[], directory: string) => isTrustedHere(list, directory, place, io),
    lives: { idleMs: minutes * 60_000 },
    log,
  };
  const asked = json === true ? { json } : {};
  const served = await begin(parts);
  if ('trouble' in served) {
    if (spawned !== true) return printRefusal(served.trouble, asked, io);
    log(failureMessage(served.trouble));
    return 1;
  }
  if (!served.ok) {
    // Another host was started first; clients use that host.
    if (spawned === true && served.owner.socket !== null) return 0;
    return printRefusal(busy(served.owner), asked, io);
  }
  const { host } = served;
  log(`the engine host of ${root} is running, process ${process.pid}`);
  let interrupted = false;
  const onInterrupt = (): void => {
    if (interrupted) process.exit(130);
    interrupted = true;
    void host.stop('force');
  };
  const stop = io.onInterrupt(onInterrupt);
  survive(log);
  await host.stopped;
  stop();
  log('the engine host has stopped');
  return 0;
}

/** Starts serving. Problems with the stored state are reported as usage problems, not as crashes. */
async function begin(parts: Parameters<typeof serveHost>[0]) {
  try {
    return await serveHost(parts);
  } catch (thrown) {
    const trouble = stateTrouble(thrown);
    if (trouble === null) throw thrown;
    return { trouble };
  }
}

/**
 * Logs unhandled rejections without ending any run. An uncaught exception ends the host, since its state is unknown.
 */
function survive(log: (message: string) => void): void {
  // The listeners of the command line are removed, because they print to the terminal and end the process.
  for (const event of ['unhandledRejection', 'uncaughtException']) process.removeAllListeners(event);
  process.on('unhandledRejection', (reason) => log(`unhandled rejection: ${messageOf(reason)}`));
  process.on('uncaughtException', (error) => {
    log(`the engine host failed: ${error.stack ?? error.message}`);
    process.exit(1);
  });
}

/** Redirects console output of project modules to a size-limited log. */
function sayInto(write: (text: string) => void): void {
  for (const stream of [process.stdout, process.stderr])
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      write(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
      const done = rest.find((one): one is () => void => typeof one === 'function');
      if (done !== undefined) queueMicrotask(done);
      return true;
    };
}
