import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, utimes, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { messageOf } from '#protocol/message-of.ts';
import type { ClientParts } from './attend-client.ts';
import type { HostPlace } from '../wire/host-place.ts';

/** The maximum number of clients. More clients indicate an error. */
const MOST_CLIENTS = 256;

/** How long to wait in milliseconds until the last messages have reached the clients. */
const FAREWELL_MS = 1_000;

/**
 * The interval in milliseconds at which the files' modification times are updated, since systems delete old files in
 * temporary folders.
 */
const FRESH_MS = 3_600_000;

function stayFresh({ socket, token }: HostPlace): void {
  const now = new Date();
  for (const file of [socket, token]) utimes(file, now, now, () => undefined);
}

export interface Listening {
  clients(): number;
  /** Resolves when no client holds the host, and no other client is connected or this time in milliseconds is over. */
  withoutClients(timeoutMs: number): Promise<void>;
  /** Closes all connections, and removes the socket and the token file. */
  close(): Promise<void>;
}

export interface ListenParts extends Omit<ClientParts, 'token' | 'onHold'> {
  readonly place: HostPlace;
  /** Called when a client connects or disconnects. */
  readonly onChange: () => void;
  /** Returns false if this process serves the project no longer, so that the client looks for the next host. */
  readonly accepts: () => boolean;
}

/** Opens the socket. Rejects with the system's error. */
export async function listen({ place, onChange, accepts, ...parts }: ListenParts): Promise<Listening> {
  const token = randomBytes(32).toString('hex');
  const sockets = new Set<Socket>();
  const holding = new Set<Socket>();
  // JSON-RPC is loaded with the first client: most commands that own the engine have none.
  const attend = async (socket: Socket): Promise<void> => {
    try {
      const { attendClient } = await import('./attend-client.ts');
      if (!socket.destroyed) attendClient(socket, { ...parts, token, onHold: () => void holding.add(socket) });
    } catch (thrown) {
      parts.log(messageOf(thrown));
      socket.destroy();
    }
  };
  const server = createServer((socket) => {
    if (sockets.size >= MOST_CLIENTS || !accepts()) {
      socket.destroy();
      onChange();
      return;
    }
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      holding.delete(socket);
      onChange();
    });
    void attend(socket);
    onChange();
  });
  // The token is there as a whole before the socket opens, so that every client that can connect can read it.
  const unfinished = `${place.token}.tmp`;
  writeFileSync(unfinished, token, { mode: 0o600, flag: 'wx' });
  renameSync(unfinished, place.token);
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  server.once('error', reject);
  server.listen(place.socket, () => resolve(undefined));
  await promise;
  const fresh = setInterval(() => stayFresh(place), FRESH_MS).unref();
  server.on('error', (error) => parts.log(`the socket: ${error.message}`));
  return {
    clients: () => sockets.size,
    withoutClients: async (timeoutMs) => {
      const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));
      const over = new AbortController();
      const late = setTimeout(timeoutMs, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([Promise.all([...sockets].map(closed)), late]);
      over.abort();
      while (holding.size > 0) await Promise.all([...holding].map(closed));
    },
    close: async () => {
      clearInterval(fresh);
      rmSync(place.token, { force: true });
      const closed = Promise.withResolvers<undefined>();
      server.close(() => closed.resolve(undefined));
      for (const socket of sockets) socket.destroySoon();
      const inTime = new AbortController();
      void setTimeout(FAREWELL_MS, undefined, { signal: inTime.signal }).then(
        () => {
          for (const socket of sockets) socket.destroy();
        },
        () => undefined,
      );
      await closed.promise;
      inTime.abort();
    },
  };
}
