import { parentPort, workerData } from 'node:worker_threads';
import { restrictTo } from './approved-files.ts';
import { type ThreadData, waitForRoom } from './unread.ts';

/** A thread's connection to the thread that started it. */
interface OwnPort {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Allows only the approved files to be loaded from now on. */
  restrict(): void;
}

export function ownPort(): OwnPort {
  if (parentPort === null) throw new Error('this file can only be run as a worker thread');
  const port = parentPort;
  const { unread, approved } = workerData as ThreadData;
  return {
    post: (message) => {
      waitForRoom(unread);
      port.postMessage(message);
      Atomics.add(unread, 0, 1);
    },
    onMessage: (listener) => void port.on('message', listener),
    restrict: () => restrictTo(approved),
  };
}

/** Counts timers, sockets, processes and file requests that are still open in this thread. */
export const openResources = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind !== 'MessagePort').length;
