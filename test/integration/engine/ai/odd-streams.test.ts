import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderName } from '#protocol/provider.ts';
import { ANSWER, type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { documentOf, type Protocol, streamOf } from '../../../support/model-answers.ts';
import { openWholePool } from './whole-pool.ts';

let server: FaultServer;
const pool = openWholePool();
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(async () => {
  await pool.close();
  await server.close();
});

const EVENTS = 'text/event-stream';

/** Asks for a stream and gets this body. Returns the result, the number of requests, and the record in the call log. */
async function ask(provider: ProviderName, type: string, body: string, status = 200) {
  const before = server.seen.length;
  const baseUrl = server.byTurn({ status, headers: { 'content-type': type }, body }, 'none');
  const { result, record } = await pool.call({ provider, baseUrl, stream: true, keyWaitMs: 600_000 });
  return { result, record, requests: server.seen.length - before };
}

const PROTOCOLS: readonly (readonly [ProviderName, Protocol])[] = [
  ['openai', 'responses'],
  ['anthropic', 'messages'],
  ['google', 'gemini'],
  ['openai-compatible', 'chat'],
];

const streamed = (protocol: Protocol): string => {
  const { head, texts, end } = streamOf(protocol, ANSWER);
  return [...head, ...texts, ...end].join('');
};

const answered = { requests: 1, result: { kind: 'answered', text: ANSWER.join(''), usage: { input: 12, output: 3 } } };

describe.each(PROTOCOLS)('%s', (provider, protocol) => {
  test.each([
    ['without a blank line at its end', EVENTS, streamed(protocol).trimEnd()],
    [
      'with lines that end with CR LF, and none at the end',
      EVENTS,
      streamed(protocol).trimEnd().replaceAll('\n', '\r\n'),
    ],
    ['with comments and unknown fields between the events', EVENTS, `: hi\n\nx: y\n${streamed(protocol)}`],
    ['as plain text', 'text/plain', streamed(protocol)],
    ['as JSON', 'application/json', streamed(protocol)],
  ])('a stream %s is a whole answer', async (_what, type, body) => {
    expect(await ask(provider, type, body)).toMatchObject(answered);
  });

  test.each([
    ['as JSON', 'application/json'],
    ['as a stream of events', EVENTS],
    ['without a known type', 'application/octet-stream'],
  ])('a whole answer to a request for a stream, sent %s, is used', async (_what, type) => {
    const body = JSON.stringify(documentOf(protocol, ANSWER.join('')), null, 1);
    expect(await ask(provider, type, body)).toMatchObject(answered);
  });

  test.each([
    ['in a stream of events', EVENTS, (error: string) => `event: error\ndata: ${error}\n\n`],
    ['in a stream that ends there', EVENTS, (error: string) => `data: ${error}`],
    ['in one piece', 'application/json', (error: string) => error],
  ])('a rate limit with status 200, %s, costs nothing', async (_what, type, make) => {
    const error = {
      type: 'error',
      error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Slow down.' },
    };
    const { result, record, requests } = await ask(provider, type, make(JSON.stringify(error)));
    expect([requests, result?.kind]).toEqual([2, 'answered']);
    expect(record?.attempts).toMatchObject([
      { outcome: 'rate_limited', tokens_used: null, cost_micro_usd: null },
      { outcome: 'ok' },
    ]);
    expect(record?.tokens_used).toMatchObject({ input: 12, output: 3 });
  });
});

const chunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }], ...more })}\n\n`;

test.each([
  ['a finish that is an error', chunk({ delta: {}, finish_reason: 'error' })],
  ['a finish that is an abort', chunk({ delta: {}, finish_reason: 'abort' })],
  [
    'an error in a choice',
    chunk({ delta: {}, finish_reason: 'stop', error: { code: 502, message: 'The host is gone' } }),
  ],
  [
    'an error beside the choices',
    chunk({ delta: {}, finish_reason: 'error' }, { error: { message: 'The host is gone' } }),
  ],
])('a chat that ends with %s is no answer, and is paid for', async (_what, end) => {
  const body = `${chunk({ delta: { role: 'assistant', content: 'Half of ' } })}${end}data: [DONE]\n\n`;
  const { result, record, requests } = await ask('openai-compatible', EVENTS, body);
  expect([requests, result]).toEqual([2, expect.objectContaining({ kind: 'answered', text: ANSWER.join('') })]);
  expect(record?.attempts[0]?.outcome).toMatch(/^(?:stream_cut|server_error)$/);
  expect(record?.attempts[0]?.tokens_used?.input).toBeGreaterThan(0);
});

test.each(['cut', 'truncation'] as const)(
  'the message of an answer that broke off (%s) has no part of the answer',
  async (fault) => {
    const baseUrl = server.byTurn(fault, fault, fault);
    const { result } = await pool.call({ provider: 'openai-compatible', baseUrl, stream: true, keyWaitMs: 600_000 });
    expect(result).toMatchObject({
      kind: 'failed',
      said: expect.stringMatching(/broke off|ended before it was/) as string,
    });
    expect(JSON.stringify(result)).not.toContain('data: ');
  },
);

test('an overload after the message has started is paid for', async () => {
  const { head } = streamOf('messages', ANSWER);
  const error = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
  const { record } = await ask('anthropic', EVENTS, `${head.join('')}event: error\ndata: ${error}\n\n`);
  expect(record?.attempts[0]).toMatchObject({ outcome: 'overloaded', facts: { accepted: true } });
  expect(record?.attempts[0]?.tokens_used?.input).toBeGreaterThan(0);
});

test('an answer that speaks of errors is an answer', async () => {
  const said = 'data: {"error":{"message":"no"}}\n\nevent: error';
  const { head, texts, end } = streamOf('chat', [said]);
  const { result } = await ask('openai-compatible', EVENTS, [...head, ...texts, ...end].join(''));
  expect(result).toMatchObject({ kind: 'answered', text: said });
});
