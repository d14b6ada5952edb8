import { parentPort } from 'node:worker_threads';

/** A thread's connection to the thread that started it. */
export interface OwnPort {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}

export function ownPort(): OwnPort {
  if (parentPort === null) throw new Error('this file is the entry of a thread');
  const port = parentPort;
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', listener),
  };
}

/** Counts timers, sockets, processes and file requests that are still open in this thread. */
export const openResources = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind !== 'MessagePort').length;
