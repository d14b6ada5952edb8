import { expect, test } from 'vitest';
import { usageOf } from '#io/providers/usage.ts';
import type { AiRequest } from '#protocol/ai-call.ts';

const REQUEST: AiRequest = {
  provider: 'openai',
  model: 'm',
  baseUrl: null,
  instructions: '',
  messages: [{ role: 'user', content: 'one two' }],
  schema: null,
  maxOutputTokens: null,
  temperature: null,
  limits: { firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};

const usage = (input: number | undefined, output: number | undefined, cacheRead?: number, reasoning?: number) =>
  usageOf(
    {
      inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite: cacheRead },
      outputTokens: { total: output, text: undefined, reasoning },
    },
    REQUEST,
    'three',
  );

test.each([
  [Number.MAX_SAFE_INTEGER, 5],
  [5, Number.MAX_SAFE_INTEGER],
  [-5, 7],
  [7, -5],
  [1.5, 7],
  [1e308, 7],
  [Number.NaN, 7],
  [undefined, undefined],
])('a usage of %s input and %s output tokens is estimated', (input, output) => {
  expect(usage(input, output).source).toBe('estimated');
  expect(usage(input, output).input).toBeLessThan(20);
});

test('parts of a usage are at most the whole', () => {
  const much = 999_999_999;
  expect(usage(10, 5, much, much)).toEqual({
    input: 10,
    output: 5,
    cached: 10,
    cacheWrite: 10,
    reasoning: 5,
    source: 'provider',
  });
});
