import { accessSync, constants, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { engineOwner } from '#io/engine-lock/engine-owner.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';
import { dial, type DialParts, type HostClient } from './dial.ts';
import { lastWords } from '../wire/host-log.ts';
import { type HostCommand, type SpawnedHost, spawnHost } from './spawn-host.ts';

export type { HostClient } from './dial.ts';
export type { HostCommand } from './spawn-host.ts';

type Owner = NonNullable<ReturnType<typeof engineOwner>>;

export type Connected =
  | { readonly kind: 'connected'; readonly client: HostClient; readonly spawned: boolean }
  /** Nobody owns the engine. */
  | { readonly kind: 'nobody' }
  /** A process owns it that listens nowhere. */
  | { readonly kind: 'owned'; readonly owner: Owner };

export interface ConnectParts extends DialParts {
  /** Starts a host where there is none. */
  readonly spawn?: HostCommand;
  /** Milliseconds for a host to be there. */
  readonly patience?: number;
}

const PATIENCE_MS = 20_000;
const PAUSE_MS = 20;
/** A process that owns the engine without a socket is left alone, but one that is about to end is waited for. */
const OWNED_MS = 1_000;

/**
 * Connects to the host of a project, and starts one when that is asked for. Of several that are started at once, one owns
 * the project, and all clients come to that one. Throws `host_failed` when none comes up, `host_version`, `host_denied`.
 */
export async function connectHost(root: string, parts: ConnectParts): Promise<Connected> {
  const { spawn, patience = PATIENCE_MS } = parts;
  const began = Date.now();
  let child: SpawnedHost | null = null;
  for (;;) {
    const waited = Date.now() - began;
    const owner = engineOwner(root);
    if (owner !== null && owner.socket !== null && owner.host === os.hostname()) {
      const client = await dial(owner.socket, parts);
      if (client !== null) return { kind: 'connected', client: ofThisProject(client, root), spawned: child !== null };
    } else if (owner !== null) {
      if (spawn === undefined || waited > OWNED_MS) return { kind: 'owned', owner };
    } else if (spawn === undefined) return { kind: 'nobody' };
    else if (child === null) child = spawnHost(root, spawn);
    else if (child.exit() !== null) {
      // Another one was first, and has ended since; or it can't begin.
      if (child.exit()?.code !== 0) throw notStarted(root);
      child = null;
    }
    if (waited > patience) throw owner === null ? notStarted(root) : silent(owner);
    await setTimeout(PAUSE_MS);
  }
}

/** What is asked of a host, it does in its own project, with the trust that that one has. */
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

/** What ends a process that does not listen. */
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

/** Without the right to write there is no log either, in which a host could say so; one that is there is of an earlier host. */
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
  const said = locked === null ? (words === '' ? '' : ` It said last: ${words}`) : ` ${locked}`;
  return new RoboSmithError('host_failed', `The engine host does not start.${said}`, {
    next: ['robosmith host start --foreground'],
  });
}
