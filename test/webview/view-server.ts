import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import type {
  GraphLayout,
  HostToView,
  ViewChange,
  ViewKind,
  ViewState,
  ViewToHost,
} from '../../src/protocol/generated/view.gen.ts';
import { readViewMessage } from '../../src/protocol/view/read-message.ts';
import { viewPage, viewPolicy } from '../../src/protocol/view/view-page.ts';

const FOLDER = join(import.meta.dirname, '../../dist/webview');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};

/** A message without the fields that are common to all messages. */
type Sent = HostToView extends infer Message ? (Message extends HostToView ? Omit<Message, 'protocol'> : never) : never;

/** A fake host that sends the views the data that a test defines. */
export interface ViewServer {
  readonly address: (options?: { readonly view?: ViewKind; readonly theme?: string }) => string;
  /** The messages from the views, the oldest first. */
  readonly received: ViewToHost[];
  show(state: ViewState, layout?: GraphLayout | null): void;
  patch(...changes: readonly ViewChange[]): void;
  send(message: Sent): void;
  /** Handles a message; the default answers requests for the layout and the state. */
  onMessage: (message: ViewToHost) => void;
  disconnect(): void;
  /** Stops the server, as if its program had been ended. */
  goOffline(): Promise<void>;
  /** Starts the server again, at the same address. */
  goOnline(): Promise<void>;
  close(): Promise<void>;
}

function serveFiles(view: (name: string | null) => { readonly page: string; readonly policy: string }) {
  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const name = url.pathname.slice(1);
    if (name === '') {
      const { page, policy } = view(url.searchParams.get('view'));
      response.writeHead(200, {
        'content-type': 'text/html',
        // The policy is stricter than in production: trusted types detect markup that is built from text.
        'content-security-policy': `${policy}; trusted-types svelte-trusted-html; require-trusted-types-for 'script'`,
      });
      response.end(page);
      return;
    }
    try {
      const extension = name.slice(name.lastIndexOf('.'));
      const text = readFileSync(join(FOLDER, name));
      response.writeHead(200, { 'content-type': TYPES[extension] ?? 'application/octet-stream' });
      response.end(text);
    } catch {
      response.writeHead(404).end();
    }
  });
}

/** Serves the built views on 127.0.0.1 with the content security policy of VS Code's webviews. */
export async function startViewServer(): Promise<ViewServer> {
  let port = 0;
  const http = serveFiles((asked) => {
    const nonce = randomBytes(8).toString('hex');
    const policy = { nonce, source: `'self'`, connect: `ws://127.0.0.1:${port}` };
    const view: ViewKind = asked === 'chat' || asked === 'context' ? asked : 'mission-control';
    const page = viewPage({
      ...policy,
      view,
      title: 'RoboSmith',
      script: 'view.js',
      styles: ['view.css', 'themes.css'],
    });
    return { page, policy: viewPolicy(policy) };
  });
  const sockets = new WebSocketServer({ server: http, path: '/socket' });
  const clients = new Set<WebSocket>();
  const received: ViewToHost[] = [];
  let state: ViewState | null = null;
  let layout: GraphLayout | null = null;
  let seq = 0;
  const epoch = Date.now();
  const send = (message: Sent): void => {
    for (const client of clients) client.send(JSON.stringify({ protocol: 1, ...message }));
  };
  const snapshot = (): void => {
    seq += 1;
    if (state !== null) send({ command: 'snapshot', payload: { epoch, seq, state } });
  };
  sockets.on('connection', (socket) => {
    clients.add(socket);
    socket.on('close', () => clients.delete(socket));
    socket.on('message', (data: Buffer) => {
      const read = readViewMessage(JSON.parse(data.toString('utf8')));
      if (!read.ok) throw new Error(read.why);
      received.push(read.message);
      const { command } = read.message;
      if (command === 'ready' || command === 'requestSnapshot') snapshot();
      if (command === 'requestLayout' && layout !== null) send({ command: 'layout', payload: layout });
      server.onMessage(read.message);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  port = (http.address() as AddressInfo).port;
  const server: ViewServer = {
    address: ({ view = 'mission-control', theme = 'dark' } = {}) =>
      `http://127.0.0.1:${port}/?view=${view}&theme=${theme}`,
    received,
    show(next, placed = layout) {
      state = next;
      layout = placed;
      snapshot();
    },
    patch(...changes) {
      seq += 1;
      send({ command: 'patch', payload: { epoch, seq, changes } });
    },
    send,
    onMessage: () => undefined,
    disconnect: () => {
      for (const client of clients) client.terminate();
    },
    async goOffline() {
      for (const client of clients) client.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
    goOnline: () => new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve)),
    async close() {
      await server.goOffline();
      sockets.close();
    },
  };
  return server;
}
