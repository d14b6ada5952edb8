import { expect, test } from 'vitest';
import { costOf, usageOf } from '#logic/keys/estimate.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';
import { bad, REQUEST } from '../../actors/keys/pool-under-test.ts';

test('what nobody counted is estimated as prompts are: other scripts have more tokens than letters have', () => {
  const text = '測試'.repeat(50);
  const request = { ...REQUEST, instructions: '', messages: [{ role: 'user', content: text }] } as const;
  const tokens = estimateTokens(text);
  expect(tokens).toBe(120);
  expect(usageOf(request, null, text)).toMatchObject({ input: tokens, output: tokens, source: 'estimated' });
});

test.each([
  ['a refusal', bad(400), 0],
  ['no connection', bad(null, '', { phase: 'connect' }), 0],
  ['a limit of ours that ended what had been sent', bad(null, '', { phase: 'connect', limit: 'first_token' }), 7],
  ['a redirect', bad(302), 0],
  ['a web page', bad(200, '<!doctype html><html></html>'), 0],
  ['an answer without content', bad(204), 0],
  ['an answer that is not of the API', bad(200, 'not json'), 7],
  ['a failure after the answer had begun', bad(500, '', { phase: 'stream', begun: true }), 7],
])('what %s costs', (_what, outcome, input) => {
  expect(usageOf(REQUEST, outcome, '')).toMatchObject({ input, output: 0 });
});

test('nothing used is nothing paid, also at a price that nobody knows', () => {
  const prices = { microUsd: () => null };
  const usage = usageOf(REQUEST, bad(429), '');
  expect(costOf(REQUEST, usage, prices)).toEqual({ tokens: 0, microUsd: 0 });
  expect(costOf(REQUEST, { ...usage, output: 1 }, prices)).toEqual({ tokens: 1, microUsd: null });
});
