import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { keyEnvironment } from '#engine/index.ts';
import { hostLogFile, turnOver } from './host-log.ts';

/** How a host process is started: the program, and what it is given. */
export interface HostCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface SpawnedHost {
  /** Null while it lives. */
  readonly exit: () => { readonly code: number | null } | null;
}

/** In a group of its own, so that neither Ctrl-C nor a closed terminal ends it; keys are not in its environment, they are offered. */
export function spawnHost(root: string, { program, args, environment }: HostCommand): SpawnedHost {
  const log = openLog(root);
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

/** Null: there can be none, and the host goes on without. */
function openLog(root: string): number | null {
  const file = hostLogFile(root);
  turnOver(file);
  try {
    return openSync(file, 'a', 0o600);
  } catch {
    return null;
  }
}

/** What a host has said last, for people. */
export function lastWords(root: string): string {
  try {
    return readFileSync(hostLogFile(root), 'utf8').trimEnd().split('\n').slice(-3).join('\n').slice(-1_000);
  } catch {
    return '';
  }
}
