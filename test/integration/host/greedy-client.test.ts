import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HostStatus } from '#protocol/host.ts';
import { type RawClient, rawClient } from '../../e2e/cli/raw-client.ts';
import { type HostBench, hostBench } from './host-bench.ts';
import { until } from '../../support/until.ts';

let at: HostBench;
let status: HostStatus;
let clients: RawClient[] = [];
beforeEach(() => {
  at = hostBench();
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.close();
  await at.remove();
});

const serve = async (timeout = 5_000): Promise<void> => {
  status = (await at.serve({ limits: { timeout } })).status();
};
const known = async (): Promise<RawClient> => {
  const client = await rawClient(status.socket);
  clients.push(client);
  await client.hello(readFileSync(status.socket.replace(/\.sock$/, '.token'), 'utf8'));
  return client;
};
const LARGE = 8 * 1_024 * 1_024;
const header = (bytes: number): string => `Content-Length: ${bytes}\r\n\r\n`;
const framed = (body: string): string => `${header(Buffer.byteLength(body))}${body}`;
const request = (method: string, more: string): string =>
  `{"jsonrpc":"2.0","id":9,"method":"${method}","params":{${more}}}`;

test('what is large is taken of the methods that need it alone', async () => {
  await serve();
  const text = `"x":"${'y'.repeat(300_000)}"`;
  const allowed = await known();
  expect(await allowed.ask('run.start', { x: 'y'.repeat(300_000) })).toMatchObject({
    error: { data: { code: 'usage' } },
  });
  for (const body of [
    request('run.settled', text),
    `{"params":{${text}},"jsonrpc":"2.0","id":9,"method":"run.start"}`,
  ]) {
    const client = await known();
    client.send(framed(body));
    await client.closed;
  }
  const tooLarge = await known();
  tooLarge.send(header(LARGE + 1));
  await tooLarge.closed;
  expect(await allowed.ask('status')).toMatchObject({ result: { pid: process.pid } });
});

test('values are counted before they are made', async () => {
  await serve();
  const friend = await known();
  const bomb = await known();
  const body = request('run.start', `"x":[${'{},'.repeat(2_500_000)}{}]`);
  bomb.send(framed(body));
  await bomb.closed;
  expect(at.said).toEqual(['a client was disconnected: a message has more than 100000 values']);
  const commas = await friend.ask('run.start', { x: ',[{"\\'.repeat(200_000) });
  expect(commas).toMatchObject({ error: { data: { code: 'usage' } } });
});

test('all clients together have one store of memory, which comes back', async () => {
  await serve();
  const friend = await known();
  const head = `${header(LARGE)}${request('run.start', `"x":"${'y'.repeat(300)}"`).slice(0, 300)}`;
  const all = await Promise.all(Array.from({ length: 8 }, known));
  for (const client of all) client.send(head);
  await Promise.race(all.map(({ closed }) => closed));
  expect(at.said).toEqual(['a client was disconnected: the memory limit for requests is reached']);
  for (const client of all) client.close();
  await until(async () => ((await friend.ask('status')).result as HostStatus).clients === 1, 'the end of the others');

  // Answered requests no longer use memory, so a second round is accepted.
  for (let round = 0; round < 2; round += 1) {
    const more = await Promise.all(Array.from({ length: 7 }, known));
    const asked = more.map((client) => client.ask('run.start', { x: 'y'.repeat(LARGE - 1_000) }));
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ error: { data: { code: 'usage' } } });
  }
});

test('a host that was busy reads what has come before it sends a client away', async () => {
  await serve(300);
  const [friend, client] = [await known(), await known()];
  const message = framed(request('status', `"x":"${'y'.repeat(100_000)}"`));
  client.send(message.slice(0, 100));
  await friend.ask('status');
  client.send(message.slice(100));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  expect(await client.ask('status')).toMatchObject({ result: { pid: process.pid } });
  expect(at.said).toEqual([]);
});
