import path from 'node:path';
import { engineOwner, keyEnvironment } from '#engine/index.ts';
import type { Connected, HostClient, HostCommand } from '#host/client/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** How this very program is started as the host of a project. */
function hostCommand(root: string, io: CliIo): HostCommand {
  const program = path.resolve(process.argv[1] ?? '');
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  const args = [...flags, program, '-C', root, 'host', 'start', '--foreground', '--spawned'];
  return { program: process.execPath, args, environment: io.env };
}

interface Wanted {
  /** Start one where there is none. */
  readonly spawn?: true;
  /** Minutes without anything to do, after which it ends. */
  readonly idle?: string;
  /** Only to be asked how it is, or stopped. */
  readonly anyVersion?: true;
}

const CLIENT = `robosmith, process ${process.pid}`;

/** Connects to the project's host, and hands it the keys that are here. */
export async function toHost(root: string, { spawn, idle, anyVersion }: Wanted, io: CliIo): Promise<Connected> {
  const { connectHost } = await import('#host/client/index.ts');
  const command = hostCommand(root, io);
  const args = [...command.args, ...(idle === undefined ? [] : ['--idle', idle])];
  const found = await connectHost(root, {
    ...{ environment: io.env, client: CLIENT, anyVersion: anyVersion === true },
    ...(spawn === true ? { spawn: { ...command, args } } : {}),
  });
  if (found.kind === 'connected' && anyVersion !== true)
    await found.client.call('keys.offer', { environment: keyEnvironment(io.env), secrets: {} });
  return found;
}

/** The host that runs this project's engine right now; null: none does. Nothing of it is loaded when there is none. */
export async function liveHost(root: string, io: CliIo): Promise<HostClient | null> {
  if ((engineOwner(root)?.socket ?? null) === null) return null;
  const found = await toHost(root, {}, io);
  return found.kind === 'connected' ? found.client : null;
}
