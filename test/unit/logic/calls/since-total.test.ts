import { expect, test } from 'vitest';
import { type ConversationTotals, sinceTotal } from '#logic/calls/since-total.ts';
import type { TokenUsage } from '#protocol/ai-call.ts';

const used = (input: number, output: number, cached = 0): TokenUsage => ({
  input,
  output,
  cached,
  reasoning: 0,
  source: 'provider',
});

/** Returns what each call of a conversation counts, for the figures that its program reports one after the other. */
function counted(
  reports: readonly (readonly [costMicroUsd: number | null, usage: TokenUsage | null])[],
  cumulative: { readonly cost: boolean; readonly usage: boolean },
) {
  let totals: ConversationTotals | undefined;
  return reports.map(([costMicroUsd, usage]) => {
    const counts = sinceTotal({ costMicroUsd, usage }, cumulative, totals);
    totals = counts.totals;
    return [counts.own.costMicroUsd, counts.own.usage];
  });
}

test.each([
  ['a cost that counts all calls', [968, 1_935, 2_903], [968, 967, 968]],
  ['a cost that starts again, because the program has forgotten the conversation', [968, 1_935, 500], [968, 967, 500]],
  ['a cost that is the same again, as two equal calls have it that are counted alone', [968, 968], [968, 968]],
  ['a call without a cost in between, whose cost the next total contains', [968, null, 2_903], [968, null, 1_935]],
])('%s', (_what, reported, expected) => {
  const cost = { cost: true, usage: false };
  const reports = reported.map((one) => [one, used(100, 10)] as const);
  expect(counted(reports, cost)).toEqual(expected.map((one) => [one, used(100, 10)]));
});

test('usage that counts all calls; cached tokens are subtracted as well', () => {
  const reports = [
    [null, used(180, 20)],
    [null, used(380, 40, 150)],
    [null, used(580, 60, 340)],
  ] as const;
  expect(counted(reports, { cost: false, usage: true })).toEqual([
    [null, used(180, 20)],
    [null, used(200, 20, 150)],
    [null, used(200, 20, 190)],
  ]);
});

test('figures of single calls are taken as they are', () => {
  const reports = [
    [5, used(100, 10)],
    [9, used(300, 30)],
  ] as const;
  expect(counted(reports, { cost: false, usage: false })).toEqual(reports);
});
