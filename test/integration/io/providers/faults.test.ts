import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../../e2e/verifies.ts';
import { ANSWER, type Fault, type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { errorEventOf, errorOf, type Protocol } from '../../../support/model-answers.ts';
import { createAiClient } from '#io/providers/ai-client.ts';
import type { AiRequest, AttemptFacts, AttemptOutcome } from '#protocol/ai-call.ts';
import type { ProviderName } from '#protocol/provider.ts';

const KEY = 'sk-test-7f3a9b2c4d5e6f708192a3b4c5d6e7f8';

const PROTOCOLS: Readonly<Record<ProviderName, Protocol>> = {
  openai: 'responses',
  anthropic: 'messages',
  google: 'gemini',
  'openai-compatible': 'chat',
};

const BASE = {
  model: 'm',
  instructions: 'Be good.',
  messages: [{ role: 'user', content: 'hi' }],
  schema: null,
  maxOutputTokens: 100,
  temperature: 0,
} as const;

const LONG = { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 };

let server: FaultServer;
const client = createAiClient({ connectMs: 10_000, proxied: false });
const written: string[] = [];

beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(async () => {
  await client.close();
  await server.close();
});

interface Case {
  readonly fault: Fault;
  readonly limits?: AiRequest['limits'];
  /** The result that every provider's client must report, for a streamed answer and for a whole one. */
  readonly streamed: Expected;
  readonly whole: Expected;
}

type Facts = Pick<AttemptFacts, 'phase' | 'status' | 'error' | 'begun' | 'accepted'> & {
  readonly limit?: AttemptFacts['limit'];
  /** The body of the answer, or its beginning. */
  readonly body: string | ((protocol: Protocol) => string);
};
type Expected = Facts | { readonly finish: string; readonly text: string };

const short = (which: 'firstTokenMs' | 'idleMs' | 'totalMs'): AiRequest['limits'] => ({ ...LONG, [which]: 1_500 });

const connect = { phase: 'connect', status: null, begun: false, body: '' } as const;
const answer = { phase: 'answer', status: 200, begun: false } as const;
const stream = { phase: 'stream', status: 200, begun: false } as const;
const midway = { ...stream, begun: true, accepted: true, body: '' } as const;
const late = (limit: 'first_token' | 'idle' | 'total') => ({ error: 'TimeoutError', limit }) as const;
const malformed = { ...answer, error: 'MalformedAnswer' } as const;
const errorBody = (status: number) => (protocol: Protocol) =>
  JSON.stringify(errorOf(protocol, status, 'refused, key [key] ([key])'));
const failed = (status: number): Facts => ({
  phase: 'answer',
  status,
  begun: false,
  error: 'HttpError',
  body: errorBody(status),
});
const inOnePiece: Facts = {
  ...failed(500),
  body: (protocol) => JSON.stringify(errorOf(protocol, 500, 'it broke [key]')),
};
const event = (protocol: Protocol): string => errorEventOf(protocol, 'it broke [key]').split('data: ')[1]?.trim() ?? '';
const both = (expected: Expected) => ({ streamed: expected, whole: expected });

const PAGE = '<html>Log in to the hotel network</html>';
const SAID = ANSWER.slice(0, 2).join('');

const CASES: readonly Case[] = [
  ...[400, 401, 402, 403, 404, 408, 413, 429, 500, 503, 529].map((status): Case => ({
    fault: `status-${status}`,
    ...both(failed(status)),
  })),
  { fault: 'html-502', ...both({ ...failed(502), body: '<html>Bad gateway</html>' }) },
  { fault: 'endless-error', ...both({ ...failed(500), error: 'BodyTooLarge', body: 'x'.repeat(8_192) }) },
  { fault: 'redirect', ...both({ ...failed(307), body: '' }) },
  {
    fault: 'truncation',
    streamed: { finish: 'interrupted', text: SAID },
    whole: { ...malformed, body: 'begun' },
  },
  { fault: 'cut-before-headers', ...both({ ...connect, error: 'UND_ERR_SOCKET' }) },
  {
    fault: 'cut',
    streamed: { ...midway, error: 'UND_ERR_SOCKET' },
    whole: { ...answer, error: 'UND_ERR_SOCKET', body: 'begun' },
  },
  { fault: 'error-event', streamed: { ...midway, error: 'ErrorEvent', body: event }, whole: inOnePiece },
  { fault: 'error-event-first', streamed: { ...stream, error: 'ErrorEvent', body: event }, whole: inOnePiece },
  // The error event is reported at once, before any time limit passes.
  {
    fault: 'error-event-and-silence',
    limits: short('idleMs'),
    streamed: { ...midway, error: 'ErrorEvent', body: event },
    whole: inOnePiece,
  },
  { fault: 'wrong-content-type', ...both({ ...malformed, body: PAGE }) },
  {
    fault: 'broken-json',
    streamed: { ...stream, error: 'MalformedAnswer', body: 'data: {"a": \n\n' },
    whole: { ...malformed, body: '{"a": ' },
  },
  { fault: 'empty-answer', ...both({ finish: 'stop', text: '' }) },
  {
    fault: 'empty-body',
    streamed: { ...stream, error: 'MalformedAnswer', body: '' },
    whole: { ...malformed, body: '' },
  },
  { fault: 'none', ...both({ finish: 'stop', text: ANSWER.join('') }) },
];

/**
 * Cases that exceed a time limit. The limit is long enough for the earlier bytes to arrive on a busy machine. The cases
 * run concurrently.
 */
const LATE: readonly Case[] = [
  { fault: 'hang-before-headers', limits: short('totalMs'), ...both({ ...connect, ...late('total') }) },
  {
    fault: 'hang-after-headers',
    limits: short('totalMs'),
    streamed: { ...stream, ...late('total'), body: '' },
    whole: { ...answer, ...late('total'), body: '' },
  },
  // The class of the failure follows from the HTTP status that arrived before the silence.
  { fault: 'refusal-and-silence', limits: short('totalMs'), ...both(failed(429)) },
  {
    fault: 'drip',
    limits: short('totalMs'),
    streamed: { ...midway, ...late('total') },
    whole: { ...answer, ...late('total'), body: 'begun' },
  },
];

const TIMED: readonly Case[] = [
  {
    fault: 'hang-before-headers',
    limits: short('firstTokenMs'),
    ...both({ ...connect, ...late('first_token') }),
  },
  {
    fault: 'hang-after-headers',
    limits: short('firstTokenMs'),
    ...both({ ...stream, ...late('first_token'), body: '' }),
  },
  { fault: 'stall', limits: short('idleMs'), ...both({ ...midway, ...late('idle') }) },
];

const attempt = (provider: ProviderName, fault: Fault, streaming: boolean, limits = LONG): Promise<AttemptOutcome> =>
  client.attempt(
    { ...BASE, provider, baseUrl: server.url(fault), stream: streaming, limits },
    KEY,
    new AbortController().signal,
    (text) => written.push(text),
  );

function compare(outcome: AttemptOutcome, expected: Expected, protocol: Protocol): void {
  written.push(JSON.stringify(outcome));
  if ('finish' in expected) {
    expect(outcome).toMatchObject({ ok: true, ...expected });
    return;
  }
  const { body, ...facts } = expected;
  if (outcome.ok) expect.unreachable(`it succeeded with ${JSON.stringify(outcome.text)}`);
  const { headers, body: given, address } = outcome.facts;
  expect(outcome.facts).toEqual({ ...facts, headers, body: given, address, proxy: null });
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
  if (body === 'begun') expect(given).toMatch(/^(?:event: \S+\n)?(?:data: )?\{"/);
  else expect(given).toBe(typeof body === 'string' ? body : body(protocol));
  expect(outcome.text).toBe(facts.begun ? SAID : undefined);
  expect(outcome.usage).toEqual(
    facts.begun ? { input: 4, output: 3, cached: 0, reasoning: 0, source: 'estimated' } : null,
  );
}

test.each(['openai', 'anthropic', 'openai-compatible'] as const)(
  '%s: an answer that is there is not asked for again because its connection stays open',
  async (provider) => {
    verifies('workers.ai.attempt-facts');
    const outcome = await attempt(provider, 'answer-and-silence', true);
    compare(outcome, { finish: 'stop', text: ANSWER.join('') }, PROTOCOLS[provider]);
    expect(outcome.usage).toMatchObject({ input: 12, output: 3, source: 'provider' });
  },
);

describe.each(Object.entries(PROTOCOLS) as [ProviderName, Protocol][])('%s', (provider, protocol) => {
  test.each(CASES)('$fault, in a stream', async ({ fault, limits, streamed }) => {
    verifies('workers.ai.attempt-facts');
    compare(await attempt(provider, fault, true, limits), streamed, protocol);
  });

  test.each(CASES)('$fault, in one piece', async ({ fault, limits, whole }) => {
    verifies('workers.ai.attempt-facts');
    compare(await attempt(provider, fault, false, limits), whole, protocol);
  });

  test.concurrent.each(LATE)('$fault until the limit, in a stream', async ({ fault, limits, streamed }) => {
    verifies('workers.ai.limits');
    compare(await attempt(provider, fault, true, limits), streamed, protocol);
  });

  test.concurrent.each(LATE)('$fault until the limit, in one piece', async ({ fault, limits, whole }) => {
    verifies('workers.ai.limits');
    compare(await attempt(provider, fault, false, limits), whole, protocol);
  });

  test.concurrent.each(TIMED)('$fault until a limit of streams', async ({ fault, limits, streamed }) => {
    verifies('workers.ai.limits');
    compare(await attempt(provider, fault, true, limits), streamed, protocol);
  });

  test('the wait that was asked for is told, and nothing else of who answered', async () => {
    const outcome = await attempt(provider, 'status-429', true);
    expect(outcome).toMatchObject({ ok: false, facts: { headers: { 'retry-after': '7', 'x-request-id': 'req_1' } } });
  });

  test.each([true, false])(
    'the caller gives up, streaming %s: the connection is closed, the reason is given',
    async (streaming) => {
      const { seen } = server;
      const before = seen.length;
      const stop = new AbortController();
      const reason = new Error('the run was cancelled');
      const request = { ...BASE, provider, baseUrl: server.url('stall'), stream: streaming, limits: LONG };
      const closed = server.closedEarly();
      const working = client.attempt(request, KEY, stop.signal, () => stop.abort(reason));
      if (!streaming) {
        await expect.poll(() => seen.length).toBe(before + 1);
        stop.abort(reason);
      }
      await expect(working).rejects.toBe(reason);
      await closed;
    },
  );

  test('an aborted signal sends nothing', async () => {
    const before = server.seen.length;
    const request = { ...BASE, provider, baseUrl: server.url('none'), limits: LONG };
    const reason = new Error('too late');
    await expect(client.attempt(request, KEY, AbortSignal.abort(reason), () => undefined)).rejects.toBe(reason);
    expect(server.seen).toHaveLength(before);
  });

  test('each request carries the key that was given, once', async () => {
    const before = server.seen.length;
    await attempt(provider, 'status-500', true);
    expect(server.seen.slice(before).map(({ key, streaming }) => ({ key, streaming }))).toEqual([
      { key: KEY, streaming: true },
    ]);
  });
});

test.each(['openai', 'anthropic', 'google', 'openai-compatible'] as const)(
  '%s: an error that comes whole with status 200 is no empty answer',
  async (provider) => {
    const body = JSON.stringify({ error: { code: 503, status: 'UNAVAILABLE', message: 'Overloaded.' } });
    const odd = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(body);
    }).listen(0, '127.0.0.1');
    await once(odd, 'listening');
    const baseUrl = `http://127.0.0.1:${(odd.address() as AddressInfo).port}/v1`;
    const request = { ...BASE, provider, baseUrl, stream: false, limits: LONG };
    const outcome = await client.attempt(request, KEY, new AbortController().signal, () => undefined);
    odd.closeAllConnections();
    odd.close();
    expect(outcome).toMatchObject({ ok: false, facts: { phase: 'answer', status: 200, body, begun: false } });
  },
);

test.each(['openai', 'anthropic', 'google'] as const)(
  '%s: no key of the environment stands in for an empty one',
  async (provider) => {
    const before = server.seen.length;
    const request = { ...BASE, provider, baseUrl: server.url('none'), limits: LONG };
    const outcome = await client.attempt(request, ' \n', new AbortController().signal, () => undefined);
    expect(outcome).toMatchObject({ ok: false, facts: { phase: 'connect', status: null, error: 'EmptyKey' } });
    expect(server.seen).toHaveLength(before);
  },
);

test('an endpoint without keys is asked without one; a key that no header can hold is refused', async () => {
  const request = {
    ...BASE,
    provider: 'openai-compatible',
    baseUrl: server.url('none'),
    limits: LONG,
  } as const;
  const signal = new AbortController().signal;
  expect(await client.attempt(request, '', signal, () => undefined)).toMatchObject({ ok: true });
  expect(server.seen.at(-1)?.key).toBe('');
  expect(await client.attempt(request, 'ключ-ключ', signal, () => undefined)).toMatchObject({
    ok: false,
    facts: { error: 'InvalidKey' },
  });
});

test.each(['localhost:11434/v1', 'not an address', 'file:///v1', 'http://me:hunter2@127.0.0.1:9/v1'])(
  '%s is no address: nothing is sent',
  async (baseUrl) => {
    const request = { ...BASE, provider: 'openai-compatible', baseUrl, limits: LONG } as const;
    const outcome = await client.attempt(request, KEY, new AbortController().signal, () => undefined);
    expect(outcome).toMatchObject({ ok: false, facts: { phase: 'connect', error: 'InvalidAddress' } });
  },
);

test('a host that does not answer as TLS ends with the limit of connections', async () => {
  const { createServer } = await import('node:net');
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { readonly port: number };
  const quick = createAiClient({ connectMs: 50, proxied: false });
  const request = {
    ...BASE,
    provider: 'openai-compatible',
    baseUrl: `https://127.0.0.1:${port}/v1`,
    limits: LONG,
  } as const;
  const outcome = await quick.attempt(request, KEY, new AbortController().signal, () => undefined);
  expect(outcome).toMatchObject({ ok: false, facts: { phase: 'connect', error: 'UND_ERR_CONNECT_TIMEOUT' } });
  await quick.close();
  silent.close();
});

test('of all that was told, nothing holds a key or a part of one', () => {
  verifies('workers.pool.secrets');
  expect(written.length).toBeGreaterThan(150);
  const all = written.join('\n');
  for (let at = 0; at + 8 <= KEY.length; at += 1) expect(all).not.toContain(KEY.slice(at, at + 8));
});
