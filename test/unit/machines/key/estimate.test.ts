import { expect, test } from 'vitest';
import { usageOf } from '#machines/key/estimate.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';
import { REQUEST } from '../../actors/key-pool/pool-under-test.ts';

test('what nobody counted is estimated as prompts are: other scripts have more tokens than letters have', () => {
  const text = '測試'.repeat(50);
  const request = { ...REQUEST, instructions: '', messages: [{ role: 'user', content: text }] } as const;
  const tokens = estimateTokens(text);
  expect(tokens).toBe(120);
  expect(usageOf(request, null, text)).toMatchObject({ input: tokens, output: tokens, source: 'estimated' });
});
