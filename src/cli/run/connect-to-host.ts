import path from 'node:path';
import { engineOwner, keyEnvironment } from '#engine/index.ts';
import type { ConnectResult, HostClient, HostCommand } from '#host/client/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Returns the command that starts this program as the host of a project. */
function hostCommand(root: string, io: CliIo): HostCommand {
  const program = path.resolve(process.argv[1] ?? '');
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  const args = [...flags, program, '-C', root, 'host', 'start', '--foreground', '--spawned'];
  return { program: process.execPath, args, environment: io.env };
}

interface HostOptions {
  /** Starts a host if none is running. */
  readonly spawn?: true;
  /** Idle minutes after which a started host ends. */
  readonly idle?: string;
  /** True if a command that serves the project must not end while this client is connected. */
  readonly holds?: true;
  /** True to accept a host of another version, for example to query or stop it. */
  readonly anyVersion?: true;
}

const CLIENT = `robosmith, process ${process.pid}`;

/** Connects to the project's host, and passes it the API keys of this environment. */
export async function connectToHost(
  root: string,
  { spawn, idle, anyVersion, holds }: HostOptions,
  io: CliIo,
): Promise<ConnectResult> {
  const { connectHost } = await import('#host/client/index.ts');
  const command = hostCommand(root, io);
  const args = [...command.args, ...(idle === undefined ? [] : ['--idle', idle])];
  const keys = () => Promise.resolve({ environment: keyEnvironment(io.env), secrets: {} });
  return connectHost(root, {
    environment: io.env,
    client: CLIENT,
    anyVersion: anyVersion === true,
    holds: holds === true,
    ...(anyVersion === true ? {} : { keys }),
    ...(spawn === true ? { spawn: { ...command, args } } : {}),
  });
}

/** Returns a client of the process that owns the engine, or null. The client module is loaded only if there is one. */
export async function liveHost(root: string, io: CliIo): Promise<HostClient | null> {
  if ((engineOwner(root)?.socket ?? null) === null) return null;
  const found = await connectToHost(root, {}, io);
  return found.kind === 'connected' ? found.client : null;
}
