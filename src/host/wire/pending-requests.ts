import type { Socket } from 'node:net';

/** The maximum number of requests that wait for their turn before reading pauses. */
const MOST_WAITING = 256;

/**
 * The requests of a connection that were received and are not answered yet. vscode-jsonrpc handles one message in each
 * turn of the event loop, while a turn receives thousands: without a limit, its queue would grow as fast as a client can
 * write.
 */
export interface PendingRequests {
  /** Adds a received request. Throws if a pending request has the same id, since one of the answers would be lost. */
  add(id: string | number): void;
  /** Called when a request's handling begins. */
  begun(): void;
  /** Called when a request is answered. */
  answered(id: string | number): void;
}

/** Returns the pending requests of one connection. The socket is paused while too many wait for their turn. */
export function pendingRequests(socket: Pick<Socket, 'pause' | 'resume'>): PendingRequests {
  // vscode-jsonrpc does not distinguish the ids 1 and "1".
  const pending = new Set<string>();
  let waiting = 0;
  return {
    add: (id) => {
      if (pending.has(String(id))) throw new Error('a request has the id of a pending one');
      pending.add(String(id));
      waiting += 1;
      if (waiting === MOST_WAITING) socket.pause();
    },
    begun: () => {
      if (waiting === MOST_WAITING) socket.resume();
      waiting -= 1;
    },
    answered: (id) => void pending.delete(String(id)),
  };
}
