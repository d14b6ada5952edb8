import { parentPort, workerData } from 'node:worker_threads';
import { type ThreadData, waitForRoom } from './unread.ts';

/** A thread's connection to the thread that started it. */
interface OwnPort {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}

export function ownPort(): OwnPort {
  if (parentPort === null) throw new Error('this file can only be run as a worker thread');
  const port = parentPort;
  const { unread } = workerData as ThreadData;
  return {
    post: (message) => {
      waitForRoom(unread);
      port.postMessage(message);
      Atomics.add(unread, 0, 1);
    },
    onMessage: (listener) => void port.on('message', listener),
  };
}

/** Counts timers, sockets, processes and file requests that are still open in this thread. */
export const openResources = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind !== 'MessagePort').length;
