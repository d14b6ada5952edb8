import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../e2e/verifies.ts';
import { openPrices, PRICE_TABLE, readPrices } from '#io/user/prices.ts';

const USAGE = { input: 1_000, output: 200, cached: 100, reasoning: 0, source: 'provider' } as const;
const SONNET = { provider: 'anthropic', model: 'claude-sonnet-4-5', baseUrl: null } as const;

test('a call costs what the table says, what was cached less', async () => {
  verifies('workers.ai.prices');
  const prices = openPrices({});
  // The price is 900 × $3 + 100 × $0.30 + 200 × $15 per million tokens.
  expect(await prices.costOf(SONNET, USAGE)).toEqual({ microUsd: 5_730, source: PRICE_TABLE });
  // Ten tokens are written to the cache, at $3.75 instead of $3 per million.
  expect(await prices.costOf(SONNET, { ...USAGE, cacheWrite: 10 })).toEqual({ microUsd: 5_738, source: PRICE_TABLE });
});

test.each([
  { provider: 'openai', model: 'no-such-model', baseUrl: null },
  { provider: 'openai-compatible', model: 'llama3', baseUrl: 'http://localhost:11434/v1' },
  { provider: 'openai-compatible', model: 'claude-sonnet-4-5', baseUrl: 'https://proxy.example.com/v1' },
  { provider: 'openai-compatible', model: 'm', baseUrl: null },
  { provider: 'openai-compatible', model: 'gpt-5', baseUrl: null },
] as const)('unknown is unknown, never zero: $provider $model', async (model) => {
  verifies('workers.ai.prices');
  expect(await openPrices({}).costOf(model, USAGE)).toEqual({ microUsd: null, source: null });
  expect(await openPrices({}).contextTokens(model)).toBeNull();
});

test("the user's own prices beat the table, the nearest name first; zero is a price when it is said", async () => {
  verifies('workers.ai.prices');
  const { prices, problems } = readPrices({
    'anthropic/claude-sonnet-4-5': { input: 1, output: 2, cached: 0.5 },
    'claude-sonnet-4-5': { input: 9, output: 9 },
    'openai-compatible/*': { input: 0, output: 0 },
  });
  expect(problems).toEqual([]);
  const table = openPrices(prices);
  expect(await table.costOf(SONNET, USAGE)).toEqual({ microUsd: 900 + 50 + 400, source: 'user' });
  const other = { provider: 'openai-compatible', baseUrl: 'http://localhost/v1' } as const;
  expect(await table.costOf({ ...other, model: 'claude-sonnet-4-5' }, USAGE)).toEqual({
    microUsd: 10_800,
    source: 'user',
  });
  expect(await table.costOf({ ...other, model: 'llama3' }, USAGE)).toEqual({ microUsd: 0, source: 'user' });
});

test.each([
  [],
  null,
  'x',
  { a: null },
  { a: { input: -1, output: 1 } },
  { a: { input: 1 } },
  { a: { input: '1', output: 1 } },
  { a: { input: 1, output: 1, cached: NaN } },
])('what is no price is none: %j', (value) => {
  const { prices, problems } = readPrices(value);
  expect(prices).toEqual({});
  expect(problems).toHaveLength(1);
});

test('how much a model takes', async () => {
  expect(await openPrices({}).contextTokens(SONNET)).toBe(200_000);
});

test('the table is named by the version that is installed', () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../../../node_modules/@pydantic/genai-prices/package.json', import.meta.url), 'utf8'),
  ) as { readonly version: string };
  expect(PRICE_TABLE).toBe(`genai-prices@${version}`);
});

test('whatever was counted, a cost is a whole number or unknown', async () => {
  const count = fc.integer({ min: 0, max: 10_000_000 });
  const prices = openPrices({ own: { input: 0.1, output: 0.7 } });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('claude-sonnet-4-5', 'own', 'gpt-5.5', 'none'),
      fc.record({ input: count, output: count, cached: count, cacheWrite: count }),
      async (model, usage) => {
        const { microUsd, source } = await prices.costOf(
          { ...SONNET, provider: model === 'gpt-5.5' ? 'openai' : 'anthropic', model },
          { ...usage, reasoning: 0, source: 'provider' },
        );
        expect(microUsd === null).toBe(source === null);
        expect(microUsd === null || (Number.isSafeInteger(microUsd) && microUsd >= 0)).toBe(true);
      },
    ),
  );
});
