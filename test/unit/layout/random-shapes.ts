import fc from 'fast-check';
import type { LaneShape } from '#layout/index.ts';

/**
 * Generates lane shapes with up to `most` blocks: mostly a chain, with rows to any block, and with unreachable blocks.
 */
export const shapes = (most: number): fc.Arbitrary<LaneShape> =>
  fc
    .integer({ min: 1, max: most })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, block) => rowsOf(block, count))));

function rowsOf(block: number, count: number): fc.Arbitrary<readonly (number | null)[]> {
  const next = block + 1 < count ? block + 1 : null;
  const target = fc.oneof(
    { weight: 4, arbitrary: fc.constant(next) },
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: fc.integer({ min: Math.max(0, block - 4), max: Math.min(count - 1, block + 4) }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: count - 1 }) },
  );
  return fc.array(target, { maxLength: 4 });
}
