import { describe, expect, test } from 'vitest';
import { classify } from '#machines/key/classify.ts';
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

test('the table has every class, but the one that only an answer shows', () => {
  const seen = new Set<string>(VENDOR_FAILURES.map((row) => row.class));
  expect(FAILURE_CLASSES.filter((name) => !seen.has(name))).toEqual(['empty']);
});

test('a hostile body is classified in time that grows with its length only', () => {
  const facts = { phase: 'answer', status: 429, headers: {}, error: '', begun: false } as const;
  for (const part of ['try again in 1a', '1a ', 'context length ', '{"error":', 'input token count ', '9'])
    expect(classify('openai', { ...facts, body: part.repeat(8_192 / part.length) }, NOON).said.length).toBeGreaterThan(
      0,
    );
});
