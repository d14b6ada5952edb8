import { Worker } from 'node:worker_threads';
import { withoutKeys } from '#protocol/key-variables.ts';
import { newId } from '../clock/identity.ts';
import { killMarked } from '../process/process-group.ts';
import { markVariable } from '../process/process-mark.ts';
import { threadFlags } from './thread-flags.ts';
import { createReading, newThreadData } from './unread.ts';

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

/** Starts a thread with a module as its entry. */
export function startThread(entry: URL, { onOutput, onMessage, onEnd }: ThreadListeners): Thread {
  const workerData = newThreadData();
  const isOrderly = createReading(workerData);
  let isFlooded = false;
  const mark = newId(16);
  const worker = new Worker(entry, {
    workerData,
    ...threadFlags(process.execArgv),
    // The project's code must never see the user's keys.
    env: { ...withoutKeys(process.env), ...markVariable(mark, process.env) },
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
