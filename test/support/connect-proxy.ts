import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ConnectProxy {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** The requests to the proxy with their credentials: `CONNECT host:port` or `POST http://…`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Starts a local proxy that connects every tunnel to the same port, regardless of the requested host. */
export async function startConnectProxy(target: number): Promise<ConnectProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const note = (method: string, where: string, credentials: string | undefined): void => {
    asked.push(
      `${method} ${where}${credentials === undefined ? '' : ` ${Buffer.from(credentials.replace('Basic ', ''), 'base64').toString()}`}`,
    );
  };
  const server = createServer((incoming, response) => {
    note(incoming.method ?? '', incoming.url ?? '', incoming.headers['proxy-authorization']);
    const { pathname } = new URL(incoming.url ?? '');
    const onward = httpRequest(
      { host: '127.0.0.1', port: target, path: pathname, method: incoming.method, headers: incoming.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(onward);
  });
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
  });
  server.on('connect', (incoming, socket: Socket, head: Buffer) => {
    note('CONNECT', incoming.url ?? '', incoming.headers['proxy-authorization']);
    const onward = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket);
      socket.pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
