import { afterEach, beforeEach, expect, test } from 'vitest';
import fc from 'fast-check';
import type { HostStatus } from '#protocol/host.ts';
import type { Response } from '#protocol/response.ts';
import { verifies } from '../verifies.ts';
import { type HostedProject, hostedProject } from './hosted.ts';
import { type RawClient, rawClient } from './raw-client.ts';
import { statusOf } from './durable-documents.ts';
import { until } from '../../support/until.ts';

let at: HostedProject;
let status: HostStatus;
let clients: RawClient[] = [];
beforeEach(async () => {
  at = await hostedProject();
  status = await at.startHost();
});
afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await at.remove();
});

const connect = async (): Promise<RawClient> => {
  const client = await rawClient(status.socket);
  clients.push(client);
  return client;
};
const known = async (): Promise<RawClient> => {
  const client = await connect();
  expect(await client.hello(at.token(status))).toMatchObject({ result: { protocol: 1, pid: status.pid } });
  return client;
};
const codeOf = ({ error }: Awaited<ReturnType<RawClient['ask']>>): string | undefined => error?.data?.code;

const framed = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test('whatever is no message of ours ends its own connection, and no other one', async () => {
  verifies('engine.host.private');
  const friend = await known();
  const garbage: readonly string[] = [
    'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
    '\0\0\0\0\u00ff',
    'Content-Length: 99999999999999999999\r\n\r\n',
    'Content-Length: -1\r\n\r\n',
    'Content-Length: 5000\r\n\r\n',
    `Content-Length: 2\r\nX: ${'y'.repeat(300)}`,
    framed('[]'),
    framed('null'),
    framed('{"jsonrpc":"1.0","id":1,"method":"hello"}'),
    framed('[{"jsonrpc":"2.0","id":1,"method":"status"}]'),
    framed('{"jsonrpc":"2.0","id":1,"method":'),
    framed('['.repeat(4_000)),
  ];
  for (const bytes of garbage) {
    const stranger = await connect();
    stranger.send(bytes);
    await stranger.closed;
  }
  expect(await friend.ask('status')).toMatchObject({ result: { pid: status.pid } });
});

test('half a message, and silence: both are sent away after a while', async () => {
  verifies('engine.host.private');
  const friend = await known();
  const [silent, half, later] = [await connect(), await connect(), await known()];
  half.send('Content-Length: 100\r\n\r\n{"jsonrpc"');
  later.send('Content-Length: 100\r\n\r\n{"jsonrpc"');
  await Promise.all([silent.closed, half.closed, later.closed]);
  // The host detects a closed connection slightly later than the client.
  const clients = async (): Promise<number> => ((await friend.ask('status')).result as HostStatus).clients;
  await until(async () => (await clients()) === 1, 'the end of the others');
});

test('a message over the limit is not taken, neither before hello nor after', async () => {
  verifies('engine.host.private');
  const stranger = await connect();
  stranger.send(
    framed(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hello', params: { token: 'x'.repeat(10_000) } })),
  );
  await stranger.closed;
  const friend = await known();
  friend.send('Content-Length: 64000001\r\n\r\n');
  await friend.closed;
  expect(await (await known()).ask('status')).toMatchObject({ result: { pid: status.pid } });
});

test('without the token nothing is done', async () => {
  verifies('engine.host.private');
  const [wrong, none] = [await connect(), await connect()];
  expect(codeOf(await wrong.hello('0'.repeat(64)))).toBe('host_denied');
  await wrong.closed;
  expect(codeOf(await none.ask('host.stop', { mode: 'force' }))).toBe('host_denied');
  await none.closed;
  const twice = await known();
  expect(codeOf(await twice.hello(at.token(status)))).toBe('host_denied');
  expect((await at.host())?.pid).toBe(status.pid);
});

test('another version may look and end it, and is told how', async () => {
  verifies('engine.host.private');
  const client = await connect();
  expect(await client.hello(at.token(status), 2)).toMatchObject({ result: { protocol: 1 } });
  expect(await client.ask('run.list')).toMatchObject({
    error: {
      message: expect.stringContaining('speaks protocol 1; the client speaks 2') as string,
      data: { code: 'host_version', data: { next: ['robosmith host stop'] } },
    },
  });
  expect(await client.ask('status')).toMatchObject({ result: { pid: status.pid } });
  expect(await client.ask('host.stop', { mode: 'wait' })).toMatchObject({ result: { stopped: true } });
});

const METHODS = [
  ...['status', 'run.start', 'run.resume', 'run.answer', 'run.settled', 'run.stop', 'run.pause', 'run.cancel'],
  ...['run.fork', 'session.fork', 'run.list', 'run.show', 'inbox', 'events.subscribe', 'events.unsubscribe'],
  ...['sessions.subscribe', 'sessions.unsubscribe'],
  ...['keys.offer', 'nonsense', '__proto__'],
];
const NAMES = [
  'run',
  'start',
  'directory',
  'manifest',
  'step',
  'halt',
  'answer',
  'after',
  'environment',
  'secrets',
  'script',
  '__proto__',
];

test('any parameters of any method are an answer or an error with a code', async () => {
  verifies('engine.host.private');
  const client = await known();
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('r00', 'r0123456789ab', '../..', '/', null, -1, 1e308));
  const params = fc.oneof(fc.dictionary(fc.constantFrom(...NAMES), value), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...METHODS), params, async (method, given) => {
      const { result, error } = await client.ask(method, given);
      expect(
        error === undefined ? result !== undefined : ['usage', 'io', 'corrupt_state'].includes(error.data?.code ?? ''),
      ).toBe(true);
    }),
    { numRuns: Number(process.env['ROBOSMITH_HOST_PARAMS'] ?? 300) },
  );
  expect(await at.runs()).toEqual([]);
  expect(await client.ask('status')).toMatchObject({ result: { pid: status.pid, running: [] } });
});

interface EventsNotice {
  readonly events: readonly { readonly seq: number; readonly type: string }[];
}
const seqs = ({ notices }: RawClient): readonly number[] =>
  notices.flatMap(({ method, params }) =>
    method === 'events' ? (params as EventsNotice).events.map(({ seq }) => seq) : [],
  );
const hasEnded = ({ notices }: RawClient): true | undefined =>
  notices.some(
    ({ method, params }) =>
      method === 'events' && (params as EventsNotice).events.some(({ type }) => type === 'run.finished'),
  )
    ? true
    : undefined;

test('50 clients at once are told every event of a run, in order; one that never reads holds up nobody', async () => {
  verifies('engine.host.slow-client', 'engine.host.outlives-windows');
  await at.write('hold-B', '');
  const run = await at.detach();
  const deaf = await known();
  await deaf.ask('events.subscribe', { run, after: 0 });
  deaf.socket.pause();
  const all = await Promise.all(Array.from({ length: 50 }, known));
  await Promise.all(all.map((client, index) => client.ask('events.subscribe', { run, after: index % 5 })));
  for (let asked = 0; asked < 400; asked += 1) void deaf.ask('run.show', { run });
  await at.unlink('hold-B');
  await Promise.all(all.map((client) => client.when(() => hasEnded(client))));
  const last = seqs(all[0] ?? deaf).at(-1) ?? 0;
  expect(last).toBeGreaterThan(10);
  for (const [index, client] of all.entries())
    expect(seqs(client)).toEqual(Array.from({ length: last - (index % 5) }, (_, n) => n + 1 + (index % 5)));
  expect((await at.runs()).map(statusOf)).toEqual(['completed']);
  // A client that subscribes after the end of the run gets the event from the log.
  const late = await known();
  await late.ask('events.subscribe', { run, after: last - 1 });
  await late.when(() => hasEnded(late));
  expect(seqs(late)).toEqual([last]);
});

test('a front end starts, follows, answers and looks without the command line', async () => {
  verifies('engine.host.outlives-windows');
  await at.write('fail-A', '');
  const client = await known();
  const start = {
    start: { node: 'Main' },
    directory: at.folder,
    manifest: at.file('.vision/workflows.json'),
    input: 'hello',
    script: null,
    step: false,
  };
  expect(await client.ask('run.start', start)).toMatchObject({
    result: { ok: false, refusal: { reason: 'not_trusted' } },
  });
  expect((await at.robosmith('run', 'Main', '--in', '.', '--trust')).code).toBe(3);
  await at.unlink('fail-A');
  const { result: waiting } = await client.ask('inbox');
  const [halt] = (waiting as { readonly waiting: readonly { readonly run: string; readonly halt_id: string }[] })
    .waiting;
  const answer = { run: halt?.run, halt: halt?.halt_id, answer: { verb: 'retry', guidance: 'go on' } };
  expect(await client.ask('run.answer', { ...answer, answer: { verb: 'proceed' } })).toMatchObject({
    result: { accepted: false, why: 'not_allowed' },
  });
  expect(await client.ask('run.answer', answer)).toMatchObject({ result: { accepted: true } });
  expect(await client.ask('run.settled', { run: halt?.run })).toMatchObject({
    result: { response: { success: true } },
  });
  expect(await client.ask('run.answer', answer)).toMatchObject({
    result: { accepted: false, why: 'unknown_halt', message: expect.stringContaining('retry') as string },
  });
  const { result } = await client.ask('run.start', start);
  const { run } = result as { readonly run: string };
  const { result: settled } = await client.ask('run.settled', { run });
  const { response } = settled as { readonly response: Response };
  expect([response.success, response.data.payload[0]?.content]).toEqual([true, 'hello']);
  expect(await client.ask('run.show', { run })).toMatchObject({
    result: { path: [{ block: 'Main__A' }, {}, {}], directory: at.folder },
  });
  expect(await client.ask('run.list')).toMatchObject({ result: { runs: [{ run }, {}] } });
  await until(async () => (await at.host())?.running.length === 0, 'rest');
});

/** Changes what the claim to the engine says of its owner. */
async function claim(owner: { readonly host: string; readonly started?: string }): Promise<void> {
  const name = '.flow/engine.lock/1.json';
  await at.write(name, { ...(JSON.parse(await at.read(name)) as object), ...owner });
}

test('a host is found although its machine has another name by now', async () => {
  await claim({ host: 'before' });
  expect((await at.host())?.pid).toBe(status.pid);
  expect((await at.robosmith('run', 'Main', '--in', '.', '--trust', '--detach')).code).toBe(0);
  expect((await at.robosmith('host', 'stop', '--force')).err).toContain('The engine host has stopped.');
});

test('an owner on another machine, which may be dead, is named with the way out', async () => {
  await claim({ host: 'elsewhere', started: '00000000-0000-0000-0000-000000000000/pid:[1]/1' });
  const wayOut = `Process ${status.pid} on the machine elsewhere has been running this project's engine`;
  const { code, err } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--detach');
  expect([code, err]).toEqual([4, expect.stringContaining(wayOut)]);
  expect(err).toContain('If it is not, remove .flow/engine.lock.');
  expect((await at.robosmith('host', 'status')).out).toContain(wayOut);
});
