import type { Processes } from '#protocol/services.ts';
import type { WorktreeRefusal } from '#protocol/worktree.ts';
import { refused } from './git-refusal.ts';

/** The default timeout of one command in milliseconds, long enough to install the dependencies of a big project. */
const TIMEOUT_MS = 1_800_000;

export interface Commands {
  /** The absolute path of the session's worktree. */
  readonly worktree: string;
  /** The absolute path of the checkout that the session was made from. */
  readonly main: string;
  /** The session's block of ports; null if it has none. */
  readonly ports: { readonly first: number; readonly count: number } | null;
  readonly commands: readonly (readonly string[])[];
  /** The timeout of each command in milliseconds. */
  readonly timeoutMs?: number;
}

export type CommandsReason = 'command_failed' | 'command_timed_out' | 'command_not_started' | 'command_ended';

/** The result of running the commands. `log` has the commands and their output. */
type CommandsRun =
  { readonly kind: 'done'; readonly log: string } | (WorktreeRefusal<CommandsReason> & { readonly log: string });

/**
 * Returns the environment variables for the commands of a session: the paths of its worktree and of the main checkout,
 * and its ports.
 */
export function sessionEnvironment({
  worktree,
  main,
  ports,
}: Omit<Commands, 'commands'>): Readonly<Record<string, string>> {
  const numbers = Array.from({ length: ports?.count ?? 0 }, (_, index) => [
    `ROBOSMITH_PORT_${index}`,
    String((ports?.first ?? 0) + index),
  ]);
  return {
    ROBOSMITH_WORKTREE: worktree,
    ROBOSMITH_MAIN: main,
    ...(Object.fromEntries(numbers) as Record<string, string>),
  };
}

/**
 * Runs the commands of `setup` or `teardown` in the manifest's `worktree` section, one after the other, up to the first
 * that fails.
 */
export async function runCommands(processes: Processes, what: Commands, signal: AbortSignal): Promise<CommandsRun> {
  const { worktree, commands, timeoutMs = TIMEOUT_MS } = what;
  const env = sessionEnvironment(what);
  let log = '';
  for (const [program = '', ...args] of commands) {
    const line = [program, ...args].join(' ');
    const { ended, exitCode, output, error } = await processes.run(
      { argv: [program, ...args], cwd: worktree, env, timeoutMs },
      signal,
    );
    log += `$ ${line}\n${output}${output === '' || output.endsWith('\n') ? '' : '\n'}`;
    if (ended === 'exited' && exitCode === 0) continue;
    const problem =
      ended === 'not_started'
        ? refused('command_not_started', `\`${line}\` did not start: ${error ?? 'unknown reason'}`)
        : ended === 'timed_out'
          ? refused('command_timed_out', `\`${line}\` took longer than ${timeoutMs / 1000} s and was stopped`)
          : ended === 'killed'
            ? refused('command_ended', `\`${line}\` was stopped before it had finished`)
            : refused('command_failed', `\`${line}\` ended with exit code ${exitCode ?? 'unknown'}`);
    return { ...problem, log };
  }
  return { kind: 'done', log };
}
