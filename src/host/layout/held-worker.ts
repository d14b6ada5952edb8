import { Worker } from 'node:worker_threads';
import type { LayoutAnswer, LayoutRequest } from './layout-message.ts';

/** Manages at most one worker. An idle worker does not keep the process alive. */
interface HeldWorker {
  /** Sends a request, starting a worker if there is none. False if none can be started. */
  send(request: LayoutRequest): boolean;
  rest(): void;
  /** Ends the worker; nothing more is reported. */
  end(): Promise<void>;
}

interface WorkerReports {
  readonly onAnswer: (answer: LayoutAnswer) => void;
  /** Called when the worker failed or ended by itself. */
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
        // The system can't create another thread, or the program can't run in one.
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
