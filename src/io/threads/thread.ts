import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Environment } from '#protocol/environment.ts';
import { withoutKeys } from '#protocol/key-variables.ts';
import { newId } from '../clock/identity.ts';
import { killMarked } from '../process/process-group.ts';
import { markVariable } from '../process/process-mark.ts';
import type { ApprovedFiles } from './approved-files.ts';
import { createReading, newThreadData } from './unread.ts';

/** Flags of Node that change how modules are found and loaded. Each takes a value: `--import x` or `--import=x`. */
const LOADING = ['--import', '--require', '-r', '--loader', '--experimental-loader', '--conditions', '-C'];

const isLoading = (flag: string | undefined): boolean => LOADING.includes(flag?.split('=')[0] ?? '');

/**
 * Returns the option `execArgv` for a thread that executes the file `first` before its entry, given the flags of the
 * process. The list must not contain flags of V8 or of the whole process, such as `--expose-gc`, or `--input-type`, since
 * the thread's entry is a file. So only the flags for loading modules are kept.
 */
function threadFlags(flags: readonly string[], first: string): readonly string[] {
  const isValue = (index: number): boolean => LOADING.includes(flags[index - 1] ?? '');
  return ['--require', first, ...flags.filter((flag, index) => isLoading(flag) || isValue(index))];
}

/**
 * The way in which a thread ended: by `process.exit`, by an uncaught error, or stopped because it sent messages without
 * end.
 */
export type ThreadEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'flooded' };

interface ThreadListeners {
  /** Called with raw output of the thread, which may hold control sequences of a terminal. */
  readonly onOutput: (bytes: Uint8Array) => void;
  readonly onMessage: (message: unknown) => void;
  /** Called once when the thread has ended, also after `end`. */
  readonly onEnd: (end: ThreadEnd) => void;
}

export interface Thread {
  /** Sends a message. Throws a `DataCloneError` if it can't be copied; does nothing once the thread has ended. */
  post(message: unknown): void;
  /** Keeps the process alive until `release`. */
  hold(): void;
  release(): void;
  /** Stops the thread at once, even in an endless loop. Processes that it started continue to run. */
  end(): void;
  /** Stops the thread and the processes that it started, directly or not. */
  endWithProcesses(): void;
}

const GUARD = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './load-guard.ts' : './load-guard.js', import.meta.url),
);

/**
 * Starts a thread with a module as its entry. The thread sees `environment` without the user's keys. Once the entry has
 * called `restrict`, only `approved` files are loaded.
 */
export function startThread(
  entry: URL,
  approved: ApprovedFiles,
  environment: Environment,
  { onOutput, onMessage, onEnd }: ThreadListeners,
): Thread {
  const workerData = newThreadData(approved);
  const isOrderly = createReading(workerData);
  let isFlooded = false;
  const mark = newId(16);
  const worker = new Worker(entry, {
    workerData,
    execArgv: [...threadFlags(process.execArgv, GUARD)],
    // The project's code must never see the user's keys.
    env: { ...withoutKeys(environment), ...markVariable(mark, process.env) },
  });
  let failure: { readonly error: unknown } | null = null;
  // With the options `stdout` and `stderr`, streams that are read keep the process alive, also after `unref`.
  for (const stream of [worker.stdout, worker.stderr]) stream.unpipe().on('data', onOutput).resume();
  worker.on('message', (message: unknown) => {
    if (isFlooded) return;
    isFlooded = !isOrderly();
    if (isFlooded) void worker.terminate();
    else onMessage(message);
  });
  worker.on('error', (error) => (failure ??= { error }));
  worker.on('messageerror', (error) => (failure ??= { error }));
  worker.on('exit', (code) => {
    if (isFlooded) onEnd({ kind: 'flooded' });
    else onEnd(failure === null ? { kind: 'exited', code } : { kind: 'failed', ...failure });
  });
  return {
    post: (message) => worker.postMessage(message),
    hold: () => worker.ref(),
    release: () => worker.unref(),
    end: () => void worker.terminate(),
    endWithProcesses: () => {
      // The processes are killed once the thread can start no further one.
      void worker.terminate().finally(() => killMarked(mark));
    },
  };
}
