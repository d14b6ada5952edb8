import { randomBytes } from 'node:crypto';
import { rmSync, utimes, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { attendClient, type ClientParts } from './attend-client.ts';
import type { HostPlace } from '../wire/host-place.ts';

/** Windows of a person, and programs; more is a mistake. */
const MOST_CLIENTS = 256;

/** Until what was said last has gone to a client: one that reads needs no more. */
const FAREWELL_MS = 1_000;

/** What is old is swept out of temporary folders, after days. */
const FRESH_MS = 3_600_000;

function stayFresh({ socket, token }: HostPlace): void {
  const now = new Date();
  for (const file of [socket, token]) utimes(file, now, now, () => undefined);
}

export interface Listening {
  clients(): number;
  /** Sends all away, and leaves nothing behind. */
  close(): Promise<void>;
}

export interface ListenParts extends Omit<ClientParts, 'token'> {
  readonly place: HostPlace;
  /** A client came or went. */
  readonly onChange: () => void;
}

/** Opens the socket. Rejects with the system's error. */
export async function listen({ place, onChange, ...parts }: ListenParts): Promise<Listening> {
  const token = randomBytes(32).toString('hex');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    if (sockets.size >= MOST_CLIENTS) {
      socket.destroy();
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
  // Before the socket: whoever can connect can read it.
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
