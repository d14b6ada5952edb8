import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeScene, type Scene } from './analysis.ts';
import { BUILT } from './connect.ts';

/* These tests use MCP messages exactly as they are sent, without a client library. */

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number };
}

let scene: Scene;
let child: ChildProcessByStdio<Writable, Readable, null>;
let received: Message[];
let next: () => Promise<Message>;

beforeEach(() => {
  scene = makeScene({ 'src/a.ts': 'export const a = 1;\n' });
  received = [];
});
afterEach(async () => {
  child.stdin.end();
  await once(child, 'exit');
  scene.remove();
});

const send = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/**
 * Returns the response to a request. Stores all other messages that arrive before it, because responses may arrive in
 * any order.
 */
async function responseTo(id: string | number): Promise<Message> {
  const isIt = (message: Message): boolean => message.id === id && message.method === undefined;
  for (let found = received.find(isIt); ; found = received.find(isIt)) {
    if (found !== undefined) return found;
    received.push(await next());
  }
}

function start(): void {
  child = spawn(process.execPath, [BUILT, scene.root, '--cache', scene.cache], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // A line that is not JSON fails the test, because stdout may only contain messages.
  next = async () => JSON.parse(String((await lines.next()).value)) as Message;
}

async function initialize(protocolVersion: string = LATEST_PROTOCOL_VERSION): Promise<Message> {
  start();
  send({
    id: 'init',
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  });
  const answer = await responseTo('init');
  send({ method: 'notifications/initialized' });
  return answer;
}

test.each([
  [LATEST_PROTOCOL_VERSION, LATEST_PROTOCOL_VERSION],
  ['2024-11-05', '2024-11-05'],
  ['1999-01-01', LATEST_PROTOCOL_VERSION],
])('a client that speaks version %s gets version %s', async (asked, answered) => {
  expect((await initialize(asked)).result).toMatchObject({
    protocolVersion: answered,
    serverInfo: { name: 'roberto-mcp' },
    capabilities: { tools: {} },
  });
});

test('ids are returned as they were sent, and a call without a name is an error with its code', async () => {
  await initialize();
  send({ id: 0, method: 'ping' });
  send({ id: 'text', method: 'ping' });
  send({ id: 7, method: 'tools/call', params: {} });
  expect([await responseTo(0), await responseTo('text')]).toMatchObject([{ result: {} }, { result: {} }]);
  expect((await responseTo(7)).error).toMatchObject({ code: expect.any(Number) as number });
});

test('progress has the token of the request, grows, and comes before the response', async () => {
  for (let index = 0; index < 300; index += 1) scene.write(`many/n${index}.ts`, `export const n${index} = ${index};\n`);
  await initialize();
  received = [];
  send({ id: 1, method: 'tools/call', params: { name: 'index_code', arguments: {}, _meta: { progressToken: 'p' } } });
  expect((await responseTo(1)).result).toMatchObject({ structuredContent: { files: 301 } });
  const reports = received.slice(0, -1);
  expect(reports.length).toBeGreaterThan(0);
  for (const { method, params } of reports)
    expect([method, params?.['progressToken']]).toEqual(['notifications/progress', 'p']);
  const counts = reports.map(({ params }) => Number(params?.['progress']));
  expect(counts).toEqual([...counts].sort((one, other) => one - other));
});

test('a cancelled request gets no response, and the next one does', async () => {
  for (let index = 0; index < 600; index += 1) scene.write(`many/n${index}.ts`, `export const n${index} = ${index};\n`);
  await initialize();
  received = [];
  send({ id: 1, method: 'tools/call', params: { name: 'index_code', arguments: {} } });
  send({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'no longer needed' } });
  send({ id: 2, method: 'tools/call', params: { name: 'find_symbol', arguments: { query: 'n5' } } });
  expect((await responseTo(2)).result).toMatchObject({ structuredContent: { query: 'n5' } });
  send({ id: 3, method: 'ping' });
  await responseTo(3);
  expect(received.map(({ id }) => id)).toEqual([2, 3]);
});
