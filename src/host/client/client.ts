import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { engineOwner } from '#io/engine-lock/engine-owner.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { OfferedKeys } from '#protocol/host.ts';
import type { HostClient } from '#protocol/host-client.ts';
import { dial, type DialParts } from './dial.ts';
import { lastWords } from '../wire/host-log.ts';
import { type HostCommand, type SpawnedHost, spawnHost } from './spawn-host.ts';

export type { HostClient } from '#protocol/host-client.ts';
export type { HostCommand } from './spawn-host.ts';

type Owner = NonNullable<ReturnType<typeof engineOwner>>;

export type ConnectResult =
  | { readonly kind: 'connected'; readonly client: HostClient; readonly spawned: boolean }
  /** No process owns the engine. */
  | { readonly kind: 'nobody' }
  /** A process without a socket owns the engine. */
  | { readonly kind: 'owned'; readonly owner: Owner };

interface ConnectParts extends DialParts {
  /** Starts a host if there is none. */
  readonly spawn?: HostCommand;
  /** Returns the API keys that the host receives once it is known to serve this project. */
  readonly keys?: () => Promise<OfferedKeys>;
  /** How long to wait for a host to start, in milliseconds. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 20_000;
const PAUSE_MS = 20;
/** How long to wait for an owner without a socket to end. */
const OWNED_MS = 1_000;

/**
 * Connects to the host of a project, starting one if `spawn` is given. If several are started at once, one of them owns
 * the project and all clients connect to it. Throws `host_failed` if none starts, `host_version` or `host_denied`.
 */
export async function connectHost(root: string, parts: ConnectParts): Promise<ConnectResult> {
  const { spawn, timeoutMs = TIMEOUT_MS } = parts;
  const began = Date.now();
  let child: SpawnedHost | null = null;
  for (;;) {
    const waited = Date.now() - began;
    const owner = engineOwner(root);
    if (owner !== null && owner.socket !== null) {
      const client = await dial(owner.socket, parts);
      if (client !== null && (await hasTakenKeys(ofThisProject(client, root), parts.keys)))
        return { kind: 'connected', client, spawned: child !== null };
    } else if (owner !== null) {
      if (spawn === undefined || waited > OWNED_MS) return { kind: 'owned', owner };
    } else if (spawn === undefined) return { kind: 'nobody' };
    else if (child === null) child = spawnHost(root, spawn);
    else if (child.exit() !== null) {
      // The started host has ended: either another host was first and has ended since, or this host can't start.
      if (child.exit()?.code !== 0) throw notStarted(root);
      child = null;
    }
    if (waited > timeoutMs) throw owner === null ? notStarted(root) : silent(owner);
    await setTimeout(PAUSE_MS);
  }
}

/**
 * Checks that the host serves this project, because a host executes only the runs of its own project, with that
 * project's trust.
 */
function ofThisProject(client: HostClient, root: string): HostClient {
  const [here, there] = [root, client.about.root].map((folder) => statSync(folder, { throwIfNoEntry: false }));
  if (here !== undefined && here.dev === there?.dev && here.ino === there.ino) return client;
  client.close();
  throw new RoboSmithError(
    'host_denied',
    `.flow/engine.lock names the engine host of another project: ${client.about.root}.`,
    { next: ['robosmith doctor', 'robosmith runs'] },
  );
}

/** Passes the keys to a host. Returns false if the host ended instead, so that the next one must be found. */
async function hasTakenKeys(client: HostClient, keys: ConnectParts['keys']): Promise<boolean> {
  if (keys === undefined) return true;
  try {
    await client.call('keys.offer', await keys());
    return true;
  } catch (thrown) {
    client.close();
    if (RoboSmithError.is(thrown, 'host_failed')) return false;
    throw thrown;
  }
}

/** Returns the command that ends a process without a socket. */
const endsProcess = (pid: number): string =>
  process.platform === 'win32' ? `taskkill /pid ${pid} /T /F` : `kill -KILL ${pid}`;

function silent({ pid, socket }: Owner): RoboSmithError {
  const where = socket ?? 'its socket';
  const way = `End that process with \`${endsProcess(pid)}\`; its runs can be resumed.`;
  return new RoboSmithError(
    'host_failed',
    `Process ${pid} is the engine host, but it does not answer at ${where}. ${way}`,
    { next: ['robosmith host status', 'robosmith runs'] },
  );
}

/**
 * Returns why .flow is not writable, or null if it is. If it is not, an existing log is from an earlier host and must
 * not be quoted.
 */
function whyNotWritable(root: string): string | null {
  try {
    accessSync(path.join(root, '.flow'), constants.W_OK);
    return null;
  } catch (thrown) {
    return `The state in .flow can't be written: ${messageOf(thrown)}.`;
  }
}

function notStarted(root: string): RoboSmithError {
  const locked = whyNotWritable(root);
  const words = locked === null ? lastWords(root) : '';
  const said = locked === null ? (words === '' ? '' : ` Its last output: ${words}`) : ` ${locked}`;
  return new RoboSmithError('host_failed', `The engine host does not start.${said}`, {
    next: ['robosmith host start --foreground'],
  });
}
