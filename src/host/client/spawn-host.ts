import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { keyEnvironment } from '#io/keys/environment-keys.ts';
import { hostLogFile, openHostLog } from '../wire/host-log.ts';

/** How a host process is started: the program, its arguments and its environment. */
export interface HostCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface SpawnedHost {
  /** Null while it is running. */
  readonly exit: () => { readonly code: number | null } | null;
}

/**
 * Starts a host in its own process group, so that neither Ctrl-C nor a closed terminal ends it. Keys are removed from
 * its environment and sent over the connection instead.
 */
export function spawnHost(root: string, { program, args, environment }: HostCommand): SpawnedHost {
  const log = openHostLog(hostLogFile(root));
  let exit: { readonly code: number | null } | null = null;
  try {
    const hidden = Object.fromEntries(Object.keys(keyEnvironment(environment)).map((name) => [name, undefined]));
    const child: ChildProcess = spawn(program, args, {
      cwd: root,
      detached: true,
      env: { ...environment, ...hidden },
      stdio: ['ignore', log ?? 'ignore', log ?? 'ignore'],
      windowsHide: true,
    });
    child.once('exit', (code) => (exit = { code }));
    child.once('error', () => (exit = { code: null }));
    child.unref();
  } finally {
    if (log !== null) closeSync(log);
  }
  return { exit: () => exit };
}
