import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAILURE_CLASSES } from '#protocol/failure-class.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { ANSWER, type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { NOON } from '../../../support/vendor-failures.ts';
import { CONSEQUENCES, consequenceOf, type FailureRow, PROVIDERS, restOf, ROWS } from './failure-rows.ts';
import { LIMITS, openWholePool, SECRETS, type WholeAnswer } from './whole-pool.ts';

let server: FaultServer;
const pool = openWholePool();
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(async () => {
  await pool.close();
  await server.close();
});

const after = (ms: number | null): number | null => (ms === null ? null : NOON + ms);

/** Returns the keys that requests to this address used, in order. */
const askedAt = (baseUrl: string): readonly string[] =>
  server.seen.filter(({ fault }) => baseUrl.includes(`/${fault}/`)).map(({ key }) => key);

function checkAnswered({ result, record, table }: WholeAnswer, row: FailureRow): void {
  const { policy, state, rests, waits } = consequenceOf(row);
  const until = after(state === 'healthy' || state === 'invalid' ? null : restOf(row.demanded, rests));
  const asked = NOON + (waits === null || waits === 0 ? 0 : (restOf(row.demanded, waits) ?? 0));
  expect(result).toMatchObject({
    kind: 'answered',
    key: 'second',
    text: ANSWER.join(''),
    finish: 'stop',
    attempts: [
      { key: 'first', startedAt: NOON, failure: { class: row.class, policy }, after: { state, until } },
      { key: 'second', startedAt: asked, failure: null, after: { state: 'healthy', until: null } },
    ],
  });
  expect(table.map((key) => ({ alias: key.alias, state: key.state, until: key.until }))).toEqual([
    { alias: 'first', state, until },
    { alias: 'second', state: 'healthy', until: null },
  ]);
  expect(record).toMatchObject({
    outcome: 'ok',
    answer: { text: ANSWER.join(''), finish: 'stop' },
    attempts: [
      { key: 'first', outcome: row.class },
      { key: 'second', outcome: 'ok', finish: 'stop', facts: null },
    ],
  });
}

function checkFailed({ result, record, table }: WholeAnswer, row: FailureRow): void {
  expect(result).toMatchObject({ kind: 'failed', class: row.class, attempts: [{ key: 'first' }] });
  expect(table.map(({ state }) => state)).toEqual(['healthy', 'healthy']);
  expect(record).toMatchObject({
    outcome: row.class,
    attempts: [{ key: 'first', outcome: row.class }],
  });
}

async function check(row: FailureRow): Promise<void> {
  const baseUrl = server.byKey({ [SECRETS.first]: row.said, [SECRETS.second]: 'none' });
  const limits = LIMITS[row.limits ?? 'long'];
  const given = await pool.call({ provider: row.provider, baseUrl, stream: row.stream, limits });
  // A stream that has begun and is not complete in time is not paid a second time.
  const isPaid = row.said === 'drip' && row.stream;
  const isCured = CONSEQUENCES[row.class].waits !== null && !isPaid;
  expect(askedAt(baseUrl)).toEqual(isCured ? [SECRETS.first, SECRETS.second] : [SECRETS.first]);
  if (isCured) checkAnswered(given, row);
  else checkFailed(given, row);
  expect(given.record?.request.stream).toBe(row.stream);
  expect(given.reports).toEqual([]);
  const all = JSON.stringify(given);
  for (const secret of Object.values(SECRETS)) expect(all).not.toContain(secret.slice(8, 20));
}

describe.each(PROVIDERS)('%s', (provider) => {
  const rows = ROWS.filter((row) => row.provider === provider).map((row) => ({
    ...row,
    how: row.stream ? 'in a stream' : 'in one piece',
  }));

  test.each(rows.filter(({ limits }) => limits === undefined))('$name, $how: $class', async (row) => {
    verifies('workers.pool.classes', 'workers.pool.policies', 'workers.pool.endpoint', 'workers.pool.key-states');
    verifies('workers.pool.client-errors', 'workers.pool.retry-after', 'workers.pool.call-log');
    await check(row);
  });

  test.concurrent.each(rows.filter(({ limits }) => limits !== undefined))('$name, $how, in time', async (row) => {
    await check(row);
  });

  describe.each([true, false])('no server, streaming %s', (stream) => {
    /** Calls an address that can't be reached: all keys are tried, and the call ends at its deadline. */
    const unreachable = async (baseUrl: string, failure: string) => {
      const { result, record, table } = await pool.call({ provider, baseUrl, stream, keyWaitMs: 1_500 });
      expect(result).toMatchObject({
        kind: 'exhausted',
        retryAt: NOON + 3_000,
        attempts: [
          { key: 'first', startedAt: NOON, failure: { class: failure, policy: 'cool' } },
          { key: 'second', startedAt: NOON + 1_000, failure: { class: failure, policy: 'cool' } },
        ],
      });
      expect(table.map(({ state }) => state)).toEqual(['healthy', 'healthy']);
      const attempts = [
        { key: 'first', outcome: failure, facts: { phase: 'connect', status: null, begun: false } },
        { key: 'second', outcome: failure },
      ];
      expect(record).toMatchObject({ outcome: 'exhausted', answer: null, attempts });
    };

    test('no such host: dns', () => unreachable('http://no-such-host.invalid/v1', 'dns'));

    test('nobody listens: network', async () => {
      const closed = createServer();
      await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
      const { port } = closed.address() as { readonly port: number };
      await new Promise((resolve) => closed.close(resolve));
      await unreachable(`http://127.0.0.1:${String(port)}/v1`, 'network');
    });

    test('no TLS: no key and no wait mends it', async () => {
      const { origin } = server;
      const baseUrl = `${origin.replace('http:', 'https:')}/none/v1`;
      const { result, record, table } = await pool.call({ provider, baseUrl, stream });
      expect(result).toMatchObject({ kind: 'failed', class: 'tls', attempts: [{ key: 'first' }] });
      expect(table.map(({ state }) => state)).toEqual(['healthy', 'healthy']);
      expect(record).toMatchObject({ outcome: 'tls', attempts: [{ key: 'first', outcome: 'tls' }] });
    });
  });

  test('an answer that broke off is not asked for again where nothing of it can be taken back', async () => {
    verifies('workers.pool.no-replay');
    const baseUrl = server.byKey({ [SECRETS.first]: 'cut', [SECRETS.second]: 'none' });
    const texts: string[] = [];
    const reader = { onText: (text: string) => void texts.push(text), onRestart: null };
    const { result, record } = await pool.call({ provider, baseUrl, stream: true, reader });
    const begun = ANSWER.slice(0, 2).join('');
    expect(texts.join('')).toBe(begun);
    expect(result).toMatchObject({ kind: 'failed', class: 'stream_cut', text: begun });
    expect(record).toMatchObject({ outcome: 'stream_cut', answer: null, attempts: [{ outcome: 'stream_cut' }] });
    expect(askedAt(baseUrl)).toEqual([SECRETS.first]);
  });

  test.each([true, false])('the caller gives up, streaming %s: the log says so, and no key pays', async (stream) => {
    const baseUrl = server.byKey({ [SECRETS.first]: 'stall', [SECRETS.second]: 'none' });
    const stop = new AbortController();
    const reason = new Error('the run was cancelled');
    const reader = { onText: () => stop.abort(reason), onRestart: () => undefined };
    const asked = pool.call({ provider, baseUrl, stream, reader, signal: stop.signal });
    if (!stream) {
      await expect.poll(() => askedAt(baseUrl)).toHaveLength(1);
      stop.abort(reason);
    }
    const { thrown, record, table } = await asked;
    expect(thrown).toBe(reason);
    expect(table.map(({ state }) => state)).toEqual(['healthy', 'healthy']);
    expect(record).toMatchObject({
      outcome: 'aborted',
      answer: null,
      attempts: [{ key: 'first', outcome: 'aborted' }],
    });
    expect((record?.attempts[0]?.raw ?? '').startsWith(ANSWER[0])).toBe(stream);
  });
});

/** Cases that can't occur, because only a streamed answer can be cut off in the middle. */
const CANNOT_BE = new Set(PROVIDERS.map((provider) => `${provider} stream_cut false`));
const BY_ADDRESS: readonly string[] = ['dns', 'tls'];
/** Failures that have separate tests, because one needs several answers and the other an answer of 64 MiB. */
const APART: readonly string[] = ['stream_broken', 'answer_too_large'];

test('each class is met by each provider, in a stream and in one piece', () => {
  const met = new Set(ROWS.map((row) => `${row.provider} ${row.class} ${String(row.stream)}`));
  const all = FAILURE_CLASSES.filter((name) => ![...BY_ADDRESS, ...APART].includes(name)).flatMap((name) =>
    PROVIDERS.flatMap((provider) => [true, false].map((stream) => `${provider} ${name} ${String(stream)}`)),
  );
  expect(all.filter((one) => !met.has(one) && !CANNOT_BE.has(one))).toEqual([]);
  expect(ROWS.length).toBeGreaterThan(300);
});
