import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContextServerProcess } from '#protocol/code-analysis.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { ProcessRegister } from '#protocol/process-identity.ts';
import { newId } from '../clock/identity.ts';
import { allowedEnvironment } from '../process/environment.ts';
import { endTree, type ProcessTree, trackTree } from '../process/process-group.ts';
import { markVariable } from '../process/process-mark.ts';
import type { ConnectedServer, ConnectionLimits } from './connect-server.ts';
import type { ServerLog } from './server-log.ts';
import type { ServerProgram } from './server-program.ts';

interface ServerStart {
  readonly program: Extract<ServerProgram, { readonly kind: 'program' }>;
  readonly worktree: string;
  readonly log: ServerLog;
  /** Records the server's process, so that it can be ended if this process crashes. */
  readonly register: ProcessRegister;
  readonly limits?: ConnectionLimits;
}

/** A server process that also reports when its first index is built. */
interface StartedServer extends ContextServerProcess {
  /** Resolves once the first index is built; rejects if it can't be built. */
  readonly indexed: Promise<void>;
}

/** How long to wait for a process's exit after its pipes have closed, in milliseconds. */
const EXIT_MS = 1_000;

const ON_WINDOWS = process.platform === 'win32';

/** Loads the MCP client with the first server, since most commands start none. */
const loadConnect = () => import('./connect-server.ts');

function launch({ program, worktree }: ServerStart, mark: string): ChildProcess {
  const { file, args, env } = program;
  return spawn(file, [...args, worktree], {
    // The worktree can't be used here: a process with this working directory would prevent its removal.
    cwd: path.parse(worktree).root,
    env: { ...allowedEnvironment(process.env, [], process.platform), ...env, ...markVariable(mark, process.env) },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A process group of its own lets the whole process tree be killed.
    detached: !ON_WINDOWS,
    windowsHide: true,
  });
}

/**
 * Starts the analysis server of one worktree. Its process tree is killed when this process exits in an orderly way, and
 * the server ends by itself once its input is closed.
 */
export function startServer(start: ServerStart): StartedServer {
  const { log, register, limits } = start;
  const mark = newId(16);
  const entry = register.begin(mark);
  const child = launch(start, mark);
  const { pid, stdin, stdout, stderr } = child;
  const tree: ProcessTree | null = pid === undefined ? null : { pid, mark };
  const untrack = tree === null ? () => undefined : trackTree(tree);
  if (pid !== undefined) entry.started(pid);
  const exit = Promise.withResolvers<string>();
  const over = (why: string): void => {
    untrack();
    entry.ended();
    exit.resolve(why);
  };
  child.once('error', (error) => over(`it could not be started: ${messageOf(error)}`));
  child.once('exit', (code, signal) => {
    const how = signal === null ? `with exit code ${String(code)}` : `on signal ${signal}`;
    const said = log.lastLine();
    over(`it ended ${how}${said === null ? '' : `: ${said}`}`);
  });
  stderr?.setEncoding('utf8').on('data', (text: string) => log.write(text));
  stdin?.on('error', () => undefined);
  const failed = exit.promise.then((why): never => {
    throw new Error(why);
  });
  failed.catch(() => undefined);
  const open = async (): Promise<ConnectedServer> => {
    if (stdin === null || stdout === null) return failed;
    const { connectServer } = await loadConnect();
    return connectServer(stdin, stdout, limits).catch(async (thrown: unknown) => {
      // The pipes close before the exit is known, and only the exit reveals the reason.
      await Promise.race([failed, sleep(EXIT_MS)]);
      throw thrown;
    });
  };
  const connected = Promise.race([open(), failed]);
  const indexed = connected.then((connection) => Promise.race([connection.index(), failed]));
  connected.catch(() => undefined);
  indexed.catch(() => undefined);
  return {
    connected,
    indexed,
    exited: exit.promise,
    end: () => stdin?.end(),
    kill: async () => {
      if (tree !== null) await endTree(tree, 0, { isWhole: child.exitCode === null, ageMs: 0 });
    },
  };
}
