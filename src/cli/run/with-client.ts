import { realpath } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Executable } from '#engine/authoring.ts';
import { engineOwner } from '#engine/index.ts';
import type { Host } from '#host/server/index.ts';
import type { HostClient } from '#protocol/host-client.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { programVersion } from '../names/program-version.ts';
import { isTrustedHere } from '../trust/confirm-directory.ts';
import { connectToHost } from './connect-to-host.ts';
import { busy, type Owner, stateTrouble } from './engine-trouble.ts';
import { type ReachedEngine, steadyClient } from './steady-client.ts';

/** The result of a function that used the engine. `host`: the host that continues what the command left, or null. */
export type WithClient<Value> =
  | { readonly ok: true; readonly value: Value; readonly host: number | null }
  | { readonly ok: false; readonly refusal: Response };

export interface ReachParts {
  readonly io: CliIo;
  /** Reports a problem that stops no run. */
  readonly warn: (message: string) => void;
  /** True if a host must serve the request, because its work goes on after this command. */
  readonly inHost?: boolean;
}

/** The time in milliseconds until the engine is looked for again, when another process was faster. */
const PAUSE_MS = 20;

/**
 * Runs a function with a client of the project's engine: of the process that owns it, or of a server in this process.
 * Returns a refusal if a process without a socket owns the engine, or if the state can't be kept.
 */
export async function withClient<Value>(
  root: string,
  parts: ReachParts,
  work: (client: HostClient) => Promise<Value>,
): Promise<WithClient<Value>> {
  try {
    const reached = await reachEngine(root, parts);
    if ('since' in reached) return { ok: false, refusal: busy(reached) };
    const { client, leave } = steadyClient(reached, () => reachEngine(root, parts));
    let value: Value;
    try {
      value = await work(client);
    } catch (thrown) {
      await leave();
      throw thrown;
    }
    return { ok: true, value, host: await leave() };
  } catch (thrown) {
    const refusal = stateTrouble(thrown);
    if (refusal === null) throw thrown;
    return { ok: false, refusal };
  }
}

/** Connects to the engine's owner, or serves the project in this process. Returns an owner without a socket. */
async function reachEngine(root: string, parts: ReachParts): Promise<ReachedEngine | Owner> {
  const { io, inHost = false } = parts;
  for (;;) {
    // The client module is loaded only if there is a process to connect to.
    if (inHost || engineOwner(root) !== null) {
      const found = await connectToHost(root, { holds: true, ...(inHost ? { spawn: true } : {}) }, io);
      if (found.kind === 'owned') return found.owner;
      if (found.kind === 'connected') return connected(found.client);
    }
    const served = await serveHere(root, parts);
    if (served !== null) return served;
    await setTimeout(PAUSE_MS);
  }
}

const connected = (client: HostClient): ReachedEngine => ({
  client,
  leave: () => {
    client.close();
    return Promise.resolve(null);
  },
});

/** Serves the project in this process; null if another process was faster. */
async function serveHere(root: string, { io, warn }: ReachParts): Promise<ReachedEngine | Owner | null> {
  const { hostLog, hostLogFile, serveHost } = await import('#host/server/index.ts');
  const place = await realpath(root);
  let write: ((text: string) => void) | null = null;
  const served = await serveHost({
    root,
    version: await programVersion(),
    environment: { ...io.env },
    keychain: io.keychain,
    trusts: (list: readonly Executable[], directory: string) => isTrustedHere(list, directory, place, io),
    lives: 'command',
    log: (message) => (write ??= hostLog(hostLogFile(root)))(`${new Date().toISOString()} ${message}\n`),
    warn,
  });
  if (!served.ok) return served.owner.socket === null ? served.owner : null;
  const { host } = served;
  const client = host.connect();
  return {
    client,
    leave: async () => {
      client.close();
      const isWorkLeft = await leaveHost(host, warn, io);
      return isWorkLeft ? continueInHost(root, warn, io) : null;
    },
  };
}

/** Ends the server of this process. Ctrl-C interrupts the work of other commands in it. */
async function leaveHost(host: Host, warn: ReachParts['warn'], io: CliIo): Promise<boolean> {
  let stopListening = (): void => undefined;
  let interrupted = false;
  const onWait: Parameters<Host['leave']>[0] = ({ running, busy: sessions }) => {
    const works = [...running, ...sessions].join(', ');
    const what = works === '' ? 'them' : `them (${works})`;
    warn(`Other commands use the engine of this process, which waits for ${what}. Ctrl-C interrupts them.`);
    stopListening = io.onInterrupt(() => {
      if (interrupted) process.exit(130);
      interrupted = true;
      void host.stop('force');
    });
  };
  try {
    return (await host.leave(onWait)).isWorkLeft;
  } finally {
    stopListening();
  }
}

/** Starts a host for a run that waits for a time, or a queued session. Returns its process; null if that fails. */
async function continueInHost(root: string, warn: ReachParts['warn'], io: CliIo): Promise<number | null> {
  try {
    const found = await connectToHost(root, { spawn: true }, io);
    if (found.kind !== 'connected') return null;
    const { pid } = found.client.about;
    found.client.close();
    return pid;
  } catch (thrown) {
    warn(`No engine host could be started (${messageOf(thrown)}): nothing continues automatically.`);
    return null;
  }
}
