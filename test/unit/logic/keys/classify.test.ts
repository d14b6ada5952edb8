import { describe, expect, test } from 'vitest';
import { classify } from '#logic/keys/classify.ts';
import { FAILURE_CLASSES } from '#protocol/failure-class.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { NOON, VENDOR_FAILURES } from '../../../support/vendor-failures.ts';

describe.each(['openai', 'anthropic', 'google', 'openai-compatible'] as const)('%s', (provider) => {
  const rows = VENDOR_FAILURES.filter((row) => row.provider === provider);
  test.each(rows)('$name: $class', (row) => {
    verifies('workers.pool.retry-after', 'workers.pool.classes');
    const found = classify(provider, row.facts, NOON);
    expect({ class: found.class, waitMs: found.retryAt === null ? null : found.retryAt - NOON }).toEqual({
      class: row.class,
      waitMs: row.waitMs,
    });
  });
});

test('the table has every class, but those that only answers show', () => {
  const seen = new Set<string>(VENDOR_FAILURES.map((row) => row.class));
  expect(FAILURE_CLASSES.filter((name) => !seen.has(name))).toEqual(['stream_broken', 'answer_too_large', 'empty']);
});

test('a hostile body is classified in time that grows with its length only', () => {
  const facts = { phase: 'answer', status: 429, headers: {}, error: '', begun: false } as const;
  for (const part of ['try again in 1a', '1a ', 'context length ', '{"error":', 'input token count ', '9'])
    expect(classify('openai', { ...facts, body: part.repeat(8_192 / part.length) }, NOON).said.length).toBeGreaterThan(
      0,
    );
});

const limited = (provider: 'openai' | 'google' | 'openai-compatible', message: string, more: object = {}) =>
  classify(
    provider,
    {
      phase: 'answer',
      status: 429,
      headers: {},
      error: '',
      begun: false,
      body: JSON.stringify({ error: { message, ...more } }),
    },
    NOON,
  );

const quota = (quotaId: string) => ({
  status: 'RESOURCE_EXHAUSTED',
  details: [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] }],
});

test('a limit is of a model where the provider says so', () => {
  verifies('workers.pool.per-model');
  const tpm = 'in organization org-1 on tokens per min (TPM): Limit 30000.';
  const said = [
    limited('openai', `Rate limit reached for gpt-5.5 ${tpm}`),
    limited('openai-compatible', `Rate limit reached for model \`llama-3\` ${tpm}`),
    limited('google', 'Quota exceeded.', quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier')),
    limited('openai', `Rate limit reached for requests ${tpm}`),
    limited('openai', `You wrote: Rate limit reached for gpt-5.5 ${tpm}`),
    limited('google', 'Quota exceeded.', quota('GenerateRequestsPerMinutePerProject')),
    limited('openai', 'You exceeded your current quota: rate limit reached for gpt-5.5 in it.'),
  ];
  expect(said.map(({ ofModel }) => ofModel)).toEqual([true, true, true, false, false, false, false]);
});

test.each([
  ['EmptyKey', 'invalid_key', 'key is empty'],
  ['InvalidKey', 'invalid_key', 'pasted with quotes'],
  ['InvalidAddress', 'bad_request', 'http://'],
])('%s is the fault of the key or of the address (%s), no endpoint rests for it', (error, failure, said) => {
  const facts = { phase: 'connect', status: null, headers: {}, body: '', error, begun: false } as const;
  const found = classify('openai-compatible', facts, NOON);
  expect(found).toMatchObject({ class: failure, retryAt: null, code: error });
  expect(found.said).toContain(said);
});

const answered = (status: number, error: object, headers = {}) =>
  classify(
    'openai-compatible',
    { phase: 'answer', status, headers, error: '', begun: false, body: JSON.stringify({ error }) },
    NOON,
  );

test('a server that has one name for all errors: the status of a refusal says more', () => {
  const error = { type: 'server_error', message: 'no' };
  expect([401, 402, 429, 500].map((status) => answered(status, error).class)).toEqual([
    ...['invalid_key', 'exhausted', 'rate_limited', 'server_error'],
  ]);
});

test('an error that came with 200 is what its name says', () => {
  expect(answered(200, { code: 'invalid_api_key', message: 'no' })).toMatchObject({
    class: 'invalid_key',
    status: 200,
  });
  expect(answered(200, { message: 'no' }).class).toBe('malformed');
});

test('of two windows that have run out the later one is waited for', () => {
  const of = (requests: string, tokens: string) =>
    answered(429, { message: 'no' }, { 'x-ratelimit-reset-requests': requests, 'x-ratelimit-reset-tokens': tokens });
  expect([of('20s', '60s').retryAt, of('60s', '20s').retryAt]).toEqual([NOON + 60_000, NOON + 60_000]);
});

test('an answer beyond what is read of one is told as such, a refusal of any length is not', () => {
  const facts = { phase: 'answer', headers: {}, body: '', error: 'BodyTooLarge', begun: true } as const;
  expect(classify('openai', { ...facts, status: 200 }, NOON).class).toBe('answer_too_large');
  expect(classify('openai', { ...facts, status: 502 }, NOON).class).toBe('server_error');
});

describe('a wait that no provider means', () => {
  const retryAtFor = (headers: Readonly<Record<string, string>>): number | null =>
    classify('openai', { phase: 'answer', status: 429, headers, body: '', error: '', begun: false }, NOON).retryAt;

  test.each([
    ['999999999999'],
    ['-999999999999'],
    ['9999999999999999'],
    ['Sat, 21 Nov 3026 12:00:09 GMT'],
    ['soon'],
    ['99999999d'],
  ])('retry-after: %s is no wait: the pool guesses one', (text) => {
    expect(retryAtFor({ 'retry-after': text })).toBeNull();
  });

  test('seconds, a moment in seconds and a moment in milliseconds are the same wait', () => {
    for (const text of ['90', String((NOON + 90_000) / 1_000), String(NOON + 90_000)])
      expect(retryAtFor({ 'retry-after': text })).toBe(NOON + 90_000);
    expect(retryAtFor({ 'retry-after-ms': '99999999999999' })).toBeNull();
  });
});
