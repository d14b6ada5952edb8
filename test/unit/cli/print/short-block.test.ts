import { expect, test } from 'vitest';
import { shortBlock } from '#cli/print/short-names.ts';

test.each([
  ['Main__One', 'Main', 'One'],
  ['Main__One', 'Other', 'Main__One'],
  ['A___b', 'A_', 'A___b'],
  ['A___b', 'A', 'A___b'],
  ['A____b', 'A', 'A____b'],
])('%s in %s is %s', (block, node, text) => {
  expect(shortBlock(block, node)).toBe(text);
});
