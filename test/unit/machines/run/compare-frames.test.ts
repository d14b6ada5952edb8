import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareFrames } from '#machines/run/compare-frames.ts';

test('written order: branches by index, not by their digits as text; a caller before its callees', () => {
  const sorted = ['/', '/A#1[0]', '/A#1[0]/B#1', '/A#1[2]', '/A#1[10]/C#3', '/A#1[10]/C#3[1]'];
  expect([...sorted].reverse().sort(compareFrames)).toEqual(sorted);
});

test('it is a total order', () => {
  const part = fc.record({
    block: fc.constantFrom('A', 'B'),
    visit: fc.integer({ min: 1, max: 12 }),
    branch: fc.option(fc.nat(12)),
  });
  const path = fc
    .array(part, { maxLength: 3 })
    .map(
      (parts) =>
        `/${parts.map(({ block, visit, branch }) => `${block}#${visit}${branch === null ? '' : `[${branch}]`}`).join('/')}`,
    );
  fc.assert(
    fc.property(path, path, path, (a, b, c) => {
      expect(Math.sign(compareFrames(a, b))).toBe(-Math.sign(compareFrames(b, a)) + 0);
      if (a === b) expect(compareFrames(a, b)).toBe(0);
      if (compareFrames(a, b) < 0 && compareFrames(b, c) < 0) expect(compareFrames(a, c)).toBeLessThan(0);
    }),
  );
});
