import { Worker } from 'node:worker_threads';
import type { LayoutAnswer, LayoutRequest } from './layout-message.ts';

/** At most one worker at a time. It does not keep the process alive while it rests. */
export interface HeldWorker {
  /** Starts a worker where there is none. False: none can be started. */
  send(request: LayoutRequest): boolean;
  rest(): void;
  /** Ends the worker. Nothing of it is reported any more. */
  end(): Promise<void>;
}

export interface WorkerReports {
  readonly onAnswer: (answer: LayoutAnswer) => void;
  /** The worker failed or ended by itself. */
  readonly onLost: () => void;
}

export function holdWorker(program: URL, { onAnswer, onLost }: WorkerReports): HeldWorker {
  let worker: Worker | null = null;

  const start = (): Worker => {
    const started = new Worker(program);
    const lose = (): void => {
      if (worker !== started) return;
      worker = null;
      onLost();
    };
    started.on('message', (answer: LayoutAnswer) => {
      if (worker === started) onAnswer(answer);
    });
    started.on('error', lose);
    started.on('exit', lose);
    return started;
  };
  return {
    send: (request) => {
      try {
        worker ??= start();
      } catch {
        // The system has no room for another thread, or the program is none that a thread can run.
        return false;
      }
      worker.ref();
      worker.postMessage(request);
      return true;
    },
    rest: () => worker?.unref(),
    end: async () => {
      const ended = worker;
      worker = null;
      await ended?.terminate();
    },
  };
}
