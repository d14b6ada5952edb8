import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import path from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import { isOfThisUser } from './peer-user.ts';
import { contentPolicy, noTokenPage } from './ui-page.ts';

/*
 * Serves the views to browsers of this machine.
 * 1. It listens on 127.0.0.1 only, and answers only requests for that host name, which prevents DNS rebinding.
 * 2. The page and the socket require the token of the URL; the socket also accepts only the server's own origin.
 *    Other programs need the token as well.
 * 3. On Linux it answers only processes of the user who started it, since others can read the URL in the browser's
 *    command line.
 * 4. It serves only the files of the views.
 */

/**
 * Called for each new connection with a function that sends messages to it. Returns functions that receive its messages
 * and end it.
 */
type AttendSocket = (post: (message: unknown) => void) => {
  readonly hear: (message: unknown) => void;
  readonly end: () => void;
};

interface UiParts {
  /** The folder of the views. */
  readonly views: string;
  /** Returns the page, whose only script has the nonce. */
  readonly page: (nonce: string) => string;
  /** Returns the page's content security policy; if absent, the policy of RoboSmith's own views applies. */
  readonly policy?: (nonce: string, socket: string) => string;
  /** Serves the page's own socket, at `/socket`. */
  readonly attend: AttendSocket;
  /** Serves other programs that know the token, at `/program`. If absent, the address does not exist. */
  readonly attendProgram?: AttendSocket;
  readonly port: number;
  /** Returns whether a connection comes from the user; if absent, the system is asked. */
  readonly isOfThisUser?: (socket: Socket) => Promise<boolean>;
}

export interface ServedUi {
  /** The URL with its token. */
  readonly address: string;
  /** The address for other programs, with its token; null without `attendProgram`. */
  readonly programAddress: string | null;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
  '.svg': 'image/svg+xml',
};

/** The maximum size of a message from a view, in bytes. */
const MOST_BYTES = 4_000_000;
/** The maximum number of bytes that a client has not read yet. Above it, the connection is closed. */
const MOST_UNREAD = 64_000_000;

const ALWAYS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

interface Door {
  readonly token: string;
  readonly hosts: () => readonly string[];
  readonly admits: (socket: Socket) => Promise<boolean>;
}

/** Asks once for each connection, which may carry many requests. */
function oncePerSocket(ask: (socket: Socket) => Promise<boolean>): Door['admits'] {
  const known = new WeakMap<Socket, Promise<boolean>>();
  return (socket) => {
    const answer = known.get(socket) ?? ask(socket);
    known.set(socket, answer);
    return answer;
  };
}

function hasToken({ token }: Door, url: URL): boolean {
  const given = Buffer.from(url.searchParams.get('token') ?? '');
  const own = Buffer.from(token);
  return given.length === own.length && timingSafeEqual(given, own);
}

const urlOf = (request: IncomingMessage): URL | null => URL.parse(request.url ?? '/', 'http://127.0.0.1');

const isOurs = ({ hosts }: Door, { headers: { host } }: IncomingMessage): boolean => hosts().includes(host ?? '');

function end(response: ServerResponse, status: number, type: string, body: string | Buffer, policy?: string): void {
  const csp = policy ?? "default-src 'none'; frame-ancestors 'none'";
  response.writeHead(status, { ...ALWAYS, 'Content-Type': type, 'Content-Security-Policy': csp });
  response.end(body);
}

const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

async function sendFile(views: string, name: string, response: ServerResponse): Promise<void> {
  const type = TYPES[path.extname(name)];
  if (type === undefined || !/^[\w-]+\.\w+$/.test(name)) return end(response, 404, TEXT, 'Not found.\n');
  try {
    end(response, 200, type, await readFile(path.join(views, name)));
  } catch {
    end(response, 404, TEXT, 'Not found.\n');
  }
}

function answerRequests(parts: UiParts, door: Door) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = urlOf(request);
    if (!(await door.admits(request.socket)))
      return end(response, 403, TEXT, 'Refused: another user of this machine has started this server.\n');
    if (url === null || !isOurs(door, request))
      return end(response, 403, TEXT, 'Refused: open the URL exactly as RoboSmith printed it.\n');
    if (request.method !== 'GET') return end(response, 405, TEXT, 'Only GET requests are accepted.\n');
    if (url.pathname !== '/') return sendFile(parts.views, url.pathname.slice(1), response);
    if (!hasToken(door, url)) return end(response, 403, HTML, noTokenPage());
    const nonce = randomBytes(16).toString('base64');
    const policy = (parts.policy ?? contentPolicy)(nonce, `ws://${request.headers.host ?? ''}`);
    end(response, 200, HTML, parts.page(nonce), policy);
  };
}

function attendSocket(socket: WebSocket, attend: AttendSocket): void {
  const view = attend((message) => {
    if (socket.bufferedAmount > MOST_UNREAD) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) return;
    try {
      view.hear(JSON.parse(data.toString()));
    } catch {
      view.hear(null);
    }
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => view.end());
}

function answerUpgrades(parts: UiParts, door: Door, sockets: WebSocketServer) {
  return async (request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> => {
    // Node removes its own listener before an upgrade. Without one, a client that resets the connection would end this
    // process with an uncaught error.
    stream.on('error', () => stream.destroy());
    const url = urlOf(request);
    const { origin } = request.headers;
    const isOwnPage = door.hosts().some((host) => origin === `http://${host}`);
    const isKnown = url !== null && isOurs(door, request) && hasToken(door, url) && (await door.admits(request.socket));
    const forPage = url?.pathname === '/socket' && isOwnPage ? parts.attend : undefined;
    const attend = url?.pathname === '/program' ? parts.attendProgram : forPage;
    if (!isKnown || attend === undefined) return void stream.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    sockets.handleUpgrade(request, stream, head, (socket) => attendSocket(socket, attend));
  };
}

/** Starts the server. Rejects with the system's error. */
export async function serveUi(parts: UiParts): Promise<ServedUi> {
  const token = randomBytes(24).toString('base64url');
  let port = 0;
  const admits = oncePerSocket(parts.isOfThisUser ?? isOfThisUser);
  const door: Door = { token, hosts: () => [`127.0.0.1:${port}`, `localhost:${port}`], admits };
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES });
  const [answer, upgrade] = [answerRequests(parts, door), answerUpgrades(parts, door, sockets)];
  const server = createServer((...asked) => void answer(...asked));
  server.on('upgrade', (...asked) => void upgrade(...asked));
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  server.once('error', reject);
  server.listen(parts.port, '127.0.0.1', () => resolve(undefined));
  await promise;
  const address = server.address();
  if (typeof address === 'object' && address !== null) ({ port } = address);
  return {
    address: `http://127.0.0.1:${port}/?token=${token}`,
    programAddress: parts.attendProgram === undefined ? null : `ws://127.0.0.1:${port}/program?token=${token}`,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      const closed = Promise.withResolvers<undefined>();
      server.close(() => closed.resolve(undefined));
      server.closeAllConnections();
      await closed.promise;
    },
  };
}
