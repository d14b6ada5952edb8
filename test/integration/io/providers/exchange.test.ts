import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exchange, type SentRequest } from '#io/providers/exchange.ts';
import { createDispatcher } from '#io/providers/wire-tap.ts';

let server: Server;
let answer: RequestListener = () => undefined;
let dispatcher = createDispatcher(10_000, false);
beforeEach(async () => {
  dispatcher = createDispatcher(10_000, false);
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  await dispatcher.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

interface Seen {
  status: number;
  text: string;
  failure: unknown;
}

const address = (path = '/', login = ''): string =>
  `http://${login}127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`;

function send(more: Partial<SentRequest> = {}, onChunk: (text: string) => unknown = () => false) {
  const seen: Seen = { status: 0, text: '', failure: null };
  const sent: SentRequest = { url: address(), method: 'POST', headers: {}, body: '{}', signal: null, ...more };
  const response = exchange(dispatcher, sent, {
    onHead: (status) => {
      seen.status = status;
    },
    onChunk: (chunk) => {
      const text = new TextDecoder().decode(chunk);
      seen.text += text;
      return onChunk(text) === true;
    },
    onEnd: () => null,
    onFailure: (thrown) => {
      seen.failure = thrown;
    },
  });
  return { response, seen };
}

const TEXT = 'data: {"a":1}\n\n'.repeat(20_000);

test.each([
  ['identity', Buffer.from(TEXT)],
  ['gzip', gzipSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
])('a body that comes as %s, in two parts, is read plain', async (coding, bytes) => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-encoding': coding, 'x-two': ['1', '2'] });
    response.write(bytes.subarray(0, bytes.length / 2), () => response.end(bytes.subarray(bytes.length / 2)));
  };
  const { response, seen } = send();
  const got = await response;
  expect(got.headers.get('x-two')).toBe('1, 2');
  expect(await got.text()).toBe(TEXT);
  expect(seen).toEqual({ status: 200, text: TEXT, failure: null });
});

test('a body that is not what it says fails for its reader', async () => {
  answer = (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip');
  const { response } = send();
  await expect((await response).text()).rejects.toThrow('incorrect header check');
});

test('method, path, query, headers and body arrive; hints before the answer are passed over', async () => {
  const came: unknown[] = [];
  answer = (request, response) => {
    came.push(request.method, request.url, request.headers['x-key'], request.headers['content-length']);
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.writeHead(204).end();
  };
  const { response, seen } = send({ url: address('/v1/x?y=1'), headers: { 'x-key': 'k' }, body: '{"é":1}' });
  expect(await (await response).text()).toBe('');
  expect(seen.status).toBe(204);
  expect(came).toEqual(['POST', '/v1/x?y=1', 'k', '8']);
});

test('where it is sent on to another address, nothing goes there', async () => {
  let requests = 0;
  answer = (_request, response) => {
    requests += 1;
    response.writeHead(307, { location: address('/elsewhere') }).end();
  };
  const { response } = send();
  expect((await response).status).toBe(307);
  expect(requests).toBe(1);
});

test('an address with a login is refused: it would be sent, or lost', async () => {
  const { response, seen } = send({ url: address('/', 'me:secret@') });
  await expect(response).rejects.toThrow('the URL contains credentials');
  expect(seen.failure).toBeInstanceOf(TypeError);
});

test.each(['before it is sent', 'while nothing comes', 'in the body'])('it can be broken off %s', async (when) => {
  const caller = new AbortController();
  const closed = Promise.withResolvers<unknown>();
  if (when === 'before it is sent') caller.abort(new Error('enough'));
  answer = (_request, response) => {
    response.on('close', () => closed.resolve(null));
    if (when === 'in the body') response.writeHead(200).write('some');
    else caller.abort(new Error('enough'));
  };
  const { response, seen } = send({ signal: caller.signal }, () => caller.abort(new Error('enough')));
  await expect(response.then((got) => got.text())).rejects.toThrow('enough');
  expect(seen.failure).toEqual(new Error('enough'));
  if (when !== 'before it is sent') await closed.promise;
});

test('who stops reading closes the connection, and nothing has failed', async () => {
  const closed = Promise.withResolvers<unknown>();
  answer = (_request, response) => {
    response.on('close', () => closed.resolve(null));
    response.writeHead(200).write('some');
  };
  const { response, seen } = send();
  const reader = (await response).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await closed.promise;
  expect(seen.failure).toBe(null);
});

test('a slow reader is waited for, and gets all', async () => {
  const whole = 'x'.repeat(8 * 1024 * 1024);
  answer = (_request, response) => void response.writeHead(200).end(whole);
  let waiting = 0;
  const { response } = send({}, (text) => void (waiting += text.length));
  let size = 0;
  for await (const part of (await response).body ?? []) {
    size += (part as Uint8Array).byteLength;
    expect(waiting - size).toBeLessThan(2 * 1024 * 1024);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(size).toBe(whole.length);
});

test('who has all of an answer waits for no end of it; one that does not come is not waited for either', async () => {
  const closed = Promise.withResolvers<unknown>();
  answer = (_request, response) => {
    response.on('close', () => closed.resolve(null));
    response.writeHead(200).write('all');
  };
  const { response, seen } = send({}, (text) => text === 'all');
  expect(await (await response).text()).toBe('all');
  await closed.promise;
  expect(seen).toEqual({ status: 200, text: 'all', failure: null });
});

/** Returns the number of idle open connections. */
function free(): number {
  const [pool] = dispatcher instanceof Agent ? Object.values(dispatcher.stats) : [];
  return pool !== undefined && 'free' in pool ? pool.free : 0;
}

test('the connection of an answer that ends after its last event is used again', async () => {
  const ports: unknown[] = [];
  answer = (request, response) => {
    ports.push(request.socket.remotePort);
    response.writeHead(200).write('all', () => response.end('more'));
  };
  const isAll = (text: string): boolean => text === 'all';
  expect(await (await send({}, isAll).response).text()).toBe('all');
  await expect.poll(free).toBe(1);
  expect(await (await send({}, isAll).response).text()).toBe('all');
  expect(new Set(ports).size).toBe(1);
});
