import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ParseAnswer, ParsedFile, ParseRequest } from './jobs.ts';

const BATCH_FILES = 40;
/**
 * Minimum number of files that justifies another parser thread. For fewer files, starting it costs more than it saves.
 */
const FILES_A_THREAD = 60;
const MAX_THREADS = 4;
const BATCHES_IN_FLIGHT = 2;

export interface ParserPool {
  /** Parses the files and passes each batch to `take` as soon as it is parsed. Rejects if a thread dies. */
  readonly parse: (request: Omit<ParseRequest, 'batch'>, take: (files: readonly ParsedFile[]) => void) => Promise<void>;
}

interface Thread {
  readonly worker: Worker;
  inFlight: number;
}

export function createParserPool(program: URL): ParserPool {
  const threads: Thread[] = [];
  const grow = (count: number): void => {
    while (threads.length < count) threads.push({ worker: new Worker(program), inFlight: 0 });
  };
  return {
    parse: (request, take) => {
      grow(Math.min(MAX_THREADS, availableParallelism(), Math.ceil(request.paths.length / FILES_A_THREAD)));
      return runBatches(threads, request, take);
    },
  };
}

function runBatches(
  threads: readonly Thread[],
  request: Omit<ParseRequest, 'batch'>,
  take: (files: readonly ParsedFile[]) => void,
): Promise<void> {
  const size = Math.max(1, Math.min(BATCH_FILES, Math.ceil(request.paths.length / (threads.length * 2))));
  const batches: ParseRequest[] = [];
  for (let at = 0; at < request.paths.length; at += size)
    batches.push({ ...request, batch: batches.length, paths: request.paths.slice(at, at + size) });
  return new Promise((resolve, reject) => {
    let waiting = batches.length;
    let next = 0;
    const releases: (() => void)[] = [];
    const finish = (error: Error | null): void => {
      for (const release of releases) release();
      for (const thread of threads) thread.inFlight = 0;
      if (error === null) resolve();
      else reject(error);
    };
    const feed = (thread: Thread): void => {
      while (thread.inFlight < BATCHES_IN_FLIGHT) {
        const batch = batches[next];
        if (batch === undefined) return;
        next += 1;
        thread.inFlight += 1;
        thread.worker.postMessage(batch);
      }
    };
    for (const thread of threads) {
      const onAnswer = ({ files }: ParseAnswer): void => {
        thread.inFlight -= 1;
        waiting -= 1;
        try {
          feed(thread);
          take(files);
        } catch (error) {
          finish(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        if (waiting === 0) finish(null);
      };
      const onError = (error: Error): void => finish(error);
      const onExit = (code: number): void => finish(new Error(`A parser thread ended with code ${code}.`));
      thread.worker.on('message', onAnswer).on('error', onError).on('exit', onExit);
      releases.push(() => thread.worker.off('message', onAnswer).off('error', onError).off('exit', onExit));
    }
    if (waiting === 0) finish(null);
    else for (const thread of threads) feed(thread);
  });
}
