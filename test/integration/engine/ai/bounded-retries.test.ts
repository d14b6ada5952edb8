import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AiRequest } from '#protocol/ai-call.ts';
import { type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { PROVIDERS } from './failure-rows.ts';
import { LIMITS, openWholePool } from './whole-pool.ts';

let server: FaultServer;
let whole: ReturnType<typeof openWholePool>;
beforeAll(async () => {
  server = await startFaultServer();
  whole = openWholePool();
});
afterAll(async () => {
  await whole.close();
  await server.close();
});

const LONGEST_WAIT_MS = 3_600_000;
/** The limits of calls, with a short limit for a whole answer. Arriving bytes don't restart this limit. */
const SHORT = { ...LIMITS.long, totalMs: 150 };

describe.each(PROVIDERS)('%s', (provider) => {
  const ask = async (
    fault: Parameters<FaultServer['url']>[0],
    stream: boolean,
    limits: AiRequest['limits'] = LIMITS.long,
  ) => {
    const before = server.seen.length;
    const baseUrl = server.url(fault);
    const answer = await whole.call({ provider, baseUrl, stream, limits, keyWaitMs: LONGEST_WAIT_MS });
    return { ...answer, requests: server.seen.length - before };
  };

  test.each(['cut', 'truncation', 'error-event'] as const)(
    'a stream that always ends with "%s" is requested three times, whatever time there is',
    async (fault) => {
      const { result, record, requests } = await ask(fault, true);
      expect(requests).toBe(3);
      expect(result).toMatchObject({ kind: 'failed', class: 'stream_broken' });
      expect(record).toMatchObject({ outcome: 'stream_broken', attempts: [{}, {}, {}] });
    },
  );

  test.each(['wrong-content-type', 'broken-json', 'empty-body'] as const)(
    'an answer that is none of the protocol (%s) is requested three times',
    async (fault) => {
      const { result, requests } = await ask(fault, false);
      expect(requests).toBe(3);
      expect(result).toMatchObject({ kind: 'failed', class: 'malformed' });
    },
  );

  test.each(['drip-headers', 'drip-before-text'] as const)(
    'an answer whose bytes come slowly and without end (%s) is ended and requested twice',
    async (fault) => {
      const { result, record, requests } = await ask(fault, true, SHORT);
      expect(requests).toBe(2);
      expect(result).toMatchObject({ kind: 'failed', class: 'timeout' });
      expect(record).toMatchObject({ outcome: 'timeout', attempts: [{ outcome: 'timeout' }, { outcome: 'timeout' }] });
    },
  );

  test.each(['drip', 'drip-text'] as const)(
    'an answer that has begun and does not end in time (%s) is not paid a second time',
    async (fault) => {
      const { result, record, requests } = await ask(fault, true, SHORT);
      expect(requests).toBe(1);
      expect(result).toMatchObject({ kind: 'failed', class: 'timeout' });
      expect(record).toMatchObject({ outcome: 'timeout', attempts: [{ outcome: 'timeout' }] });
    },
  );

  test.each(['drip-headers', 'drip-text'] as const)('so is one that is no stream (%s)', async (fault) => {
    const { result, requests } = await ask(fault, false, SHORT);
    expect([requests, result]).toEqual([2, expect.objectContaining({ kind: 'failed', class: 'timeout' })]);
  });

  test('an answer whose headers exceed the limit is requested three times', async () => {
    const said = { status: 200, headers: { 'x-much': 'a'.repeat(20_000) }, body: '{}' };
    const before = server.seen.length;
    const baseUrl = server.byTurn(said);
    const { result } = await whole.call({ provider, baseUrl, stream: true, keyWaitMs: LONGEST_WAIT_MS });
    expect(result).toMatchObject({ kind: 'failed', class: 'malformed' });
    expect(server.seen.length - before).toBe(3);
  });

  test('a redirect is neither followed nor requested again, and its target is named', async () => {
    const { result, requests } = await ask('redirect', true);
    expect(requests).toBe(1);
    expect(result).toMatchObject({
      kind: 'failed',
      class: 'bad_request',
      said: expect.stringContaining('redirects to /none/v1/elsewhere, where no key is sent') as string,
    });
  });

  test('an empty answer is requested once with each key', async () => {
    const { result, requests } = await ask('empty-answer', true);
    expect([requests, result?.kind]).toEqual([2, 'failed']);
  });

  test('an answer of more than 64 MiB is requested once', async () => {
    const line = `: ${'x'.repeat(1024 * 1024)}\n`;
    const said = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: line.repeat(66) };
    const before = server.seen.length;
    const { result } = await whole.call({
      provider,
      baseUrl: server.byTurn(said),
      stream: true,
      keyWaitMs: LONGEST_WAIT_MS,
    });
    expect(result).toMatchObject({ kind: 'failed', class: 'answer_too_large' });
    expect(server.seen.length - before).toBe(1);
  });
});
