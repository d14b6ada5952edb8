import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HostMethod, HostStatus } from '#protocol/host.ts';
import { attendClient } from '../../../src/host/server/attend-client.ts';
import { type RawClient, rawClient } from '../../e2e/cli/raw-client.ts';
import { type HostBench, hostBench } from './host-bench.ts';

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
const connect = async (): Promise<RawClient> => {
  const client = await rawClient(status.socket);
  clients.push(client);
  return client;
};
const known = async (): Promise<RawClient> => {
  const client = await connect();
  await client.hello(readFileSync(status.socket.replace(/\.sock$/, '.token'), 'utf8'));
  return client;
};
const framed = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const withId = (id: string, method = 'status'): string =>
  framed(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{}}`);
const isServed = async (friend: RawClient): Promise<void> =>
  expect(await friend.ask('status')).toMatchObject({ result: { pid: process.pid } });

describe('an id that is none', () => {
  test.each([
    ...['{}', '[]', 'true', '{"toString":1}', '{"__proto__":1}'],
    ...['1e400', '-1e400', '1.5', '9007199254740993', 'null', 'NaN', `"${'x'.repeat(129)}"`],
  ])('%.20s ends the connection', async (id) => {
    await serve();
    const [friend, stranger] = [await known(), await known()];
    stranger.send(withId(id));
    await stranger.closed;
    await isServed(friend);
    expect(at.said).toHaveLength(1);
  });

  test('a text of 1 MB ends the connection', async () => {
    await serve();
    const [friend, stranger] = [await known(), await known()];
    stranger.send(withId(`"${'x'.repeat(1_000_000)}"`));
    await stranger.closed;
    await isServed(friend);
  });

  test.each(['"__proto__"', '"constructor"', '-1', '0', '""', '"✓"', '9007199254740991'])(
    'but %s is one, and comes back',
    async (id) => {
      await serve();
      const client = await known();
      const answer = new Promise<string>((resolve) =>
        client.socket.once('data', (bytes: Buffer) => resolve(bytes.toString())),
      );
      client.send(withId(id));
      expect(await answer).toContain(`"id":${id},"result":{`);
    },
  );
});

test.each([
  ['7', '7'],
  ['7', '"7"'],
])('two pending requests with the ids %s and %s end the connection', async (first, second) => {
  await serve();
  const [friend, client] = [await known(), await known()];
  client.send(withId(first) + withId(second));
  await client.closed;
  expect(at.said).toEqual(['a client was disconnected: a request has the id of a pending one']);
  await isServed(friend);
  // An id can be used again after its request was answered.
  const again = await known();
  for (let round = 0; round < 3; round += 1) {
    const answer = new Promise((resolve) => again.socket.once('data', resolve));
    again.send(withId('7'));
    await answer;
  }
});

test('bytes without an end, and bytes that are no text, end their own connection', async () => {
  await serve();
  const friend = await known();
  const piece = `{"x":"${'y'.repeat(65_536)}`;
  for (const bytes of [piece, randomBytes(65_536), Buffer.alloc(65_536, 0xff), '\n'.repeat(65_536)]) {
    const stranger = await known();
    for (let sent = 0; sent < 64 * 1_024 * 1_024 && !stranger.socket.destroyed; sent += 1_048_576) stranger.send(bytes);
    await stranger.closed;
    expect(stranger.socket.bytesRead).toBeLessThan(4_096);
  }
  await isServed(friend);
});

test('99,000 levels of lists are answered, with a code where they are used; 100,000 without an end close the connection', async () => {
  await serve();
  const [friend, stranger] = [await known(), await known()];
  const ids: string[] = [];
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const deep = `${open.repeat(99_000)}1${close.repeat(99_000)}`;
    for (const [method, name] of [
      ['run.start', 'start'],
      ['view.send', 'message'],
      ['session.create', 'job'],
    ] as const) {
      const id = `${method}${open.length}`;
      ids.push(id);
      stranger.send(
        framed(`{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":{"view":1,"${name}":${deep}}}`),
      );
    }
  }
  const outcomeOf = (id: string): string | null => {
    const found = stranger.answers.find((answer) => answer.id === id);
    return found === undefined ? null : (found.error?.data?.code ?? 'result');
  };
  const used = ['usage', 'result', 'usage'];
  await expect.poll(() => ids.map(outcomeOf)).toEqual([...used, ...used]);
  await isServed(stranger);
  const tooDeep = await known();
  tooDeep.send(framed(`{"jsonrpc":"2.0","id":1,"method":"status","params":${'['.repeat(100_000)}`));
  await tooDeep.closed;
  await isServed(friend);
});

test('more connections than the host takes are closed, and the next one is served when they are gone', async () => {
  await serve(300);
  const friend = await known();
  const crowd = await Promise.all(Array.from({ length: 300 }, connect));
  await isServed(friend);
  await Promise.all(crowd.map(({ closed }) => closed));
  await isServed(await known());
});

const METHODS: Readonly<Record<Exclude<HostMethod, 'host.stop'>, true>> = {
  hello: true,
  status: true,
  'run.start': true,
  'run.resume': true,
  'run.answer': true,
  'run.settled': true,
  'run.stop': true,
  'run.pause': true,
  'run.cancel': true,
  'run.fork': true,
  'run.prune': true,
  'run.list': true,
  'run.show': true,
  'tasks.edit': true,
  'tasks.pick': true,
  'tasks.begin': true,
  'tasks.changed': true,
  'tasks.settle': true,
  inbox: true,
  'events.subscribe': true,
  'events.caughtUp': true,
  'events.unsubscribe': true,
  'sessions.subscribe': true,
  'sessions.unsubscribe': true,
  'session.list': true,
  'session.create': true,
  'session.change': true,
  'session.submit': true,
  'session.withdraw': true,
  'session.resume': true,
  'session.foreign': true,
  'session.adopt': true,
  'session.fork': true,
  'session.rerun': true,
  'session.moved': true,
  'session.merge': true,
  'session.update': true,
  'session.hold': true,
  'session.discard': true,
  'session.push': true,
  'session.restore': true,
  'view.open': true,
  'view.send': true,
  'view.close': true,
  'inspect.open': true,
  'inspect.close': true,
  'trust.look': true,
  'trust.remember': true,
  'session.file': true,
  'session.visits': true,
  'session.changes': true,
  'session.fileIn': true,
  'land.plan': true,
  'land.start': true,
  'land.stop': true,
  'land.undo': true,
  'leftovers.list': true,
  'leftovers.remove': true,
  'model.ask': true,
  'model.stop': true,
  'calls.list': true,
  'calls.search': true,
  'calls.show': true,
  'calls.rerun': true,
  'keys.offer': true,
  'keys.list': true,
  'keys.add': true,
  'keys.remove': true,
  'keys.order': true,
  'keys.test': true,
  'keys.tested': true,
  'prompts.open': true,
};

const NAMES = [
  ...['run', 'start', 'directory', 'manifest', 'step', 'halt', 'answer', 'after', 'environment', 'secrets', 'script'],
  ...['session', 'job', 'title', 'plan', 'choices', 'changes', 'branch', 'commit', 'known', 'view', 'message', 'open'],
  ...['hash', 'path', 'stream', 'question', 'selection', 'before', 'call', 'request', 'tests', 'order', 'alias'],
  ...['subscription', 'input', 'worker', 'provider', 'baseUrl', 'secret', 'replace', 'guidance', 'retry'],
];
/** Values that a parameter check might not cover. Each is used for all parameters of a method at once. */
const VALUES: readonly unknown[] = [
  ...[null, true, -1, 1e308, 2 ** 53, '', '\0', '../..', '/', 'x'.repeat(5_000), 'r0123456789ab', 's00000000'],
  ...[[], {}, [null], [[]], { __proto__: null, toString: 1 }, { length: 1e9 }, ['x'.repeat(1_000)]],
];

test('whatever the parameters of a method are, it answers, or refuses with a code that is no bug', async () => {
  await serve();
  const client = await known();
  const bugs: unknown[] = [];
  for (const method of Object.keys(METHODS))
    for (const value of [...VALUES, JSON.parse('{"__proto__":{"run":1},"constructor":1}') as unknown]) {
      const params = Object.fromEntries(NAMES.map((name) => [name, value]));
      for (const given of [params, value]) {
        const { error } = await client.ask(method, given);
        const code = error === undefined ? 'none' : (error.data?.code ?? 'bug');
        if (code === 'bug') bugs.push([method, JSON.stringify(value).slice(0, 40), error?.message]);
      }
    }
  expect(bugs).toEqual([]);
  await isServed(client);
});

test('keys beyond the maximum are refused, also in parts', async () => {
  await serve();
  const client = await known();
  const keys = (from: number) =>
    Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`k${from + index}`, 'sk-test-0123456789abcdef']));
  expect(await client.ask('keys.offer', { secrets: keys(0) })).toMatchObject({ result: { taken: 400 } });
  expect(await client.ask('keys.offer', { secrets: keys(400) })).toMatchObject({ error: { data: { code: 'usage' } } });
  expect(await client.ask('keys.offer', { secrets: keys(0) })).toMatchObject({ result: { taken: 400 } });
});

describe('a client that writes faster than the host handles', () => {
  let server: Server;
  afterEach(() => server.close());

  test('is not read meanwhile, and gets all its answers', async () => {
    const one = (id: number): string => framed(`{"jsonrpc":"2.0","id":${id},"method":"status"}`);
    const COUNT = 40_000;
    // Notifications are ignored and do not delay the requests.
    const noise = framed('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}').repeat(COUNT);
    let [handled, bytes, most] = [0, noise.length, 0];
    const attended = Promise.withResolvers<Socket>();
    const about = { protocol: 1, version: 'test', pid: 1, root: at.root, since: 0 };
    server = createServer((socket) => {
      attended.resolve(socket);
      const status = (): number => {
        handled += 1;
        bytes += one(handled).length;
        most = Math.max(most, socket.bytesRead - bytes);
        return handled;
      };
      attendClient(socket, {
        token: 't',
        about,
        methods: new Map([['status', status]]),
        log: (message) => expect.fail(message),
        onHold: () => undefined,
      });
    });
    const socket = path.join(at.base, 'flood.sock');
    await new Promise<void>((resolve) => void server.listen(socket, resolve));
    const client = await rawClient(socket);
    clients.push(client);
    await client.hello('t');
    client.send(noise);
    const answers = new Promise<void>((resolve) => {
      let text = '';
      client.socket.removeAllListeners('data').on('data', (chunk: Buffer) => {
        text = text.slice(-64) + chunk.toString('latin1');
        if (text.includes(`"result":${COUNT}}`)) resolve();
      });
    });
    client.send(Array.from({ length: COUNT }, (_, index) => one(index + 1)).join(''));
    await answers;
    expect(handled).toBe(COUNT);
    expect(most).toBeLessThan(262_144);
  });
});
