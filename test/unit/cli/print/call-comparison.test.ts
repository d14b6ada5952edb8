import { expect, test } from 'vitest';
import { printComparison } from '#cli/print/call-comparison.ts';
import { textWidth } from '#cli/print/text-width.ts';
import { fakeIo } from '../../../support/fake-io.ts';

/** Returns the rows of a comparison of two answers on a terminal of 80 columns, split at the separator. */
function sides(left: string, right: string): readonly (readonly string[])[] {
  const io = fakeIo({ terminal: true, env: { NO_COLOR: '1' } });
  const answer = [{ left, right, same: false }];
  const words = { same: 0, left_only: 1, right_only: 1 };
  printComparison({ left: 'a', right: 'b', facts: [], segments: [], answer, words }, io);
  const lines = io.out().trimEnd().split('\n').slice(2);
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(80);
  return lines.map((line) => line.split(' ~ ').map((side) => side.trimEnd()));
}

test('wide characters go on below where their column ends, and none is cut apart', () => {
  const [first, second] = sides('页'.repeat(20), `x${'🚀'.repeat(20)}`);
  expect(first).toEqual(['页'.repeat(19), `x${'🚀'.repeat(18)}`]);
  expect(second).toEqual(['页', '🚀🚀']);
});

test('a tab takes as many columns as are counted for it', () => {
  expect(sides('\tone', 'two')).toEqual([['    one', 'two']]);
});

test('an answer in one line of a million characters is shown', () => {
  expect(sides('页'.repeat(1_000_000), 'x')).toHaveLength(Math.ceil(1_000_000 / 19));
});
