import { randomBytes } from 'node:crypto';
import { rmSync, utimes, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { attendClient, type ClientParts } from './attend-client.ts';
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
  /** Closes all connections, and removes the socket and the token file. */
  close(): Promise<void>;
}

interface ListenParts extends Omit<ClientParts, 'token'> {
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
  const server = createServer((socket) => {
    if (sockets.size >= MOST_CLIENTS || !accepts()) {
      socket.destroy();
      onChange();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      onChange();
    });
    attendClient(socket, { ...parts, token });
    onChange();
  });
  // The token is written before the socket opens, so that every client that can connect can read it.
  writeFileSync(place.token, token, { mode: 0o600, flag: 'wx' });
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  server.once('error', reject);
  server.listen(place.socket, () => resolve(undefined));
  await promise;
  const fresh = setInterval(() => stayFresh(place), FRESH_MS).unref();
  server.on('error', (error) => parts.log(`the socket: ${error.message}`));
  return {
    clients: () => sockets.size,
    close: async () => {
      clearInterval(fresh);
      rmSync(place.token, { force: true });
      const closed = Promise.withResolvers<undefined>();
      server.close(() => closed.resolve(undefined));
      for (const socket of sockets) socket.destroySoon();
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, FAREWELL_MS);
      await closed.promise;
      clearTimeout(late);
    },
  };
}
