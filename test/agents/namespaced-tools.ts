import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Matches the name of an MCP server's tool, as the model server writes it. */
const TOOL = /"name":"(mcp__[a-z]+)__(\w+)"/g;

export interface NamespacedTools {
  readonly url: string;
  close(): Promise<void>;
}

async function forward(request: IncomingMessage, target: string): Promise<Response> {
  const { method = 'GET', headers } = request;
  const { authorization = '', 'content-type': type = 'application/json' } = headers;
  const body = await text(request);
  return fetch(`${target}${request.url ?? '/'}`, {
    method,
    headers: { authorization, 'content-type': type },
    ...(body === '' ? {} : { body }),
  });
}

/**
 * Starts a proxy between codex and the model server. Codex expects a tool's MCP server in a separate field
 * (`namespace`), which the model server does not know.
 */
export async function startNamespacedTools(target: string): Promise<NamespacedTools> {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const answered = await forward(request, target);
      const type = answered.headers.get('content-type') ?? 'application/json';
      response.writeHead(answered.status, { 'content-type': type });
      response.end((await answered.text()).replaceAll(TOOL, '"name":"$2","namespace":"$1"'));
    };
    answer().catch(() => response.destroy());
  });
  const listening = Promise.withResolvers<undefined>();
  server.listen(0, '127.0.0.1', () => listening.resolve(undefined));
  await listening.promise;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = Promise.withResolvers<undefined>();
      server.close(() => closed.resolve(undefined));
      server.closeAllConnections();
      await closed.promise;
    },
  };
}
