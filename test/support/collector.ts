import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Export {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Returns environment variables that send spans to the collector as JSON. */
export const exportsTo = ({ address }: Pick<Collector, 'address'>): Readonly<Record<string, string>> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
});

export interface Collector {
  readonly address: string;
  readonly exports: readonly Export[];
  close(): Promise<void>;
}

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Starts an HTTP server on the loopback interface. */
export async function serve(listener: RequestListener): Promise<Omit<Collector, 'exports'>> {
  const server = createServer(listener);
  return { address: await listen(server), close: () => close(server) };
}

/** Starts a telemetry collector that records requests and responds with `status` and `answer`. */
export async function startCollector(status = 200, answer = ''): Promise<Collector> {
  const exports: Export[] = [];
  const server = await serve((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      exports.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) });
      response.writeHead(status).end(answer);
    });
  });
  return { ...server, exports };
}
