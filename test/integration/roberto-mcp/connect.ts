import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { join } from 'node:path';

/** The program as it is shipped. `npm run build` creates it. */
export const BUILT = join(import.meta.dirname, '../../../dist/roberto-mcp/main.js');

export interface Connected {
  readonly client: Client;
  readonly processId: number;
  readonly stderr: () => string;
  /** Calls a tool and returns its structured content. */
  readonly ask: (name: string, args?: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;
  readonly close: () => Promise<void>;
}

/** Starts the program as a client would, and connects with the official MCP client library. */
export async function connect(root: string, cache: string, extra: readonly string[] = []): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BUILT, root, '--cache', cache, ...extra],
    stderr: 'pipe',
  });
  const said: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  return {
    client,
    processId: transport.pid ?? 0,
    stderr: () => said.join(''),
    ask: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args });
      return result.structuredContent as Readonly<Record<string, unknown>>;
    },
    close: () => client.close(),
  };
}
