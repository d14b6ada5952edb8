import { expect, test } from 'vitest';
import { addSpending, NO_SPENDING } from '#protocol/view/add-spending.ts';
import { cost } from '../../../../webview-ui/src/look/format.ts';

const of = (microUsd: number | null) => ({ input: 1, output: 2, microUsd, atLeast: false });

test.each([
  [[of(380_000), of(20_000)], '$0.40'],
  [[of(380_000), of(null)], 'at least $0.38'],
  [[of(null), of(380_000), of(20_000)], 'at least $0.40'],
  [[of(null), of(null)], 'unknown cost'],
  [[of(0), of(null)], 'unknown cost'],
])('the sum of %j is shown as %s', (parts, shown) => {
  const sum = parts.reduce(addSpending, NO_SPENDING);
  expect([cost(sum), sum.input, sum.output]).toEqual([shown, parts.length, 2 * parts.length]);
});
