import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LANE, type PackedLane } from '../../../../src/protocol/layout.ts';
import { packLanes } from '../../../../src/protocol/pack-lanes.ts';

const side = fc.integer({ min: 40, max: 3000 });
const lanes = fc
  .array(fc.record({ width: side, height: side, beside: fc.nat({ max: 8 }) }), { minLength: 1, maxLength: 60 })
  .map((sizes) =>
    sizes.map(({ width, height, beside }, index): PackedLane => ({
      id: `n${index}`,
      width,
      height,
      // Some lanes are placed beside the previous one.
      beside: beside === 0 && index > 0 ? `n${index - 1}` : null,
    })),
  );

test('no lane overlaps another, and each has its gap', () => {
  fc.assert(
    fc.property(lanes, (some) => {
      const boxes = packLanes(some).map((position, index) => ({ ...position, ...(some[index] as PackedLane) }));
      expect(boxes).toHaveLength(some.length);
      for (const [index, one] of boxes.entries())
        for (const other of boxes.slice(index + 1)) {
          const isApart =
            one.x + one.width + LANE.gap <= other.x ||
            other.x + other.width + LANE.gap <= one.x ||
            one.y + one.height + LANE.gap <= other.y ||
            other.y + other.height + LANE.gap <= one.y;
          expect(isApart, `${one.id} and ${other.id}`).toBe(true);
        }
    }),
  );
});

test('branches stand side by side', () => {
  const lane = { width: 400, height: 100 };
  const packed = packLanes([
    { ...lane, id: 'a', beside: null },
    { ...lane, id: 'b', beside: null },
    { ...lane, id: 'c', beside: 'b' },
  ]);
  const [, b, c] = packed;
  expect(c).toEqual({ id: 'c', x: (b?.x ?? 0) + 400 + LANE.gap, y: b?.y });
});

test('the first lane stands at the top left, and nothing gives nothing', () => {
  expect(packLanes([])).toEqual([]);
  expect(packLanes([{ id: 'a', width: 10, height: 10, beside: null }])).toEqual([{ id: 'a', x: 0, y: 0 }]);
});
