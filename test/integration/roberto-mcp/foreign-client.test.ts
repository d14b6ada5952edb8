import { createMCPClient, type MCPClient } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { afterEach, beforeEach, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { makeScene, type Scene } from './analysis.ts';
import { BUILT } from './connect.ts';

/*
 * The client of the AI SDK has its own implementation of the protocol. It probes for a newer version of the protocol
 * (`server/discover`) before it initializes.
 */

let scene: Scene;
let client: MCPClient;

beforeEach(async () => {
  scene = makeScene({ 'src/a.ts': 'export function run(): number {\n  return 1;\n}\n' });
  const transport = new StdioMCPTransport({
    command: process.execPath,
    args: [BUILT, scene.root, '--cache', scene.cache],
    stderr: 'ignore',
  });
  client = await createMCPClient({ transport });
});
afterEach(async () => {
  await client.close();
  scene.remove();
});

test('a foreign client initializes, lists the tools and calls one', async () => {
  expect(client.serverInfo).toMatchObject({ name: 'roberto-mcp', version: manifest.version });
  expect(client.instructions).toContain('one worktree');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    'code_search',
    'compare_changes',
    'find_symbol',
    'get_dependencies',
    'get_file_outline',
    'get_repo_map',
    'get_status',
    'get_symbol_references',
    'get_symbol_source',
    'index_code',
  ]);
  const found = await client.callTool({ name: 'find_symbol', arguments: { query: 'run' } });
  expect(found).toMatchObject({
    content: [{ type: 'text', text: expect.stringContaining('src/a.ts') as string }],
    structuredContent: { symbols: [{ name: 'run', file: 'src/a.ts', line: 1 }] },
  });
});

test('a foreign client turns the tools into functions of a model, whose schemas it understands', async () => {
  const { get_file_outline: outline } = await client.tools();
  const answer = await outline?.execute({ file_path: 'src/a.ts' }, { toolCallId: '1', messages: [], context: {} });
  expect(answer).toMatchObject({ structuredContent: { symbols: [{ kind: 'function', name: 'run' }] } });
});

test('a foreign client reads errors, and a cancelled call leaves the server alive', async () => {
  const refused = await client.callTool({ name: 'get_file_outline', arguments: { file_path: '../x' } });
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'outside_root' } } });
  const stop = new AbortController();
  const call = client.callTool({ name: 'index_code', arguments: {}, options: { signal: stop.signal } });
  stop.abort();
  await expect(call).rejects.toThrow();
  expect(await client.callTool({ name: 'get_status' })).toMatchObject({
    structuredContent: { version: manifest.version },
  });
});
