import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countPositions, decodePositions, encodePositions } from '../../../../src/roberto-mcp/store/positions.ts';

const positions = fc
  .array(fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000)), { maxLength: 200 })
  .map((pairs) => [...pairs].sort((a, b) => a[0] - b[0] || a[1] - b[1]).flat());

test('positions are decoded as they were encoded, and counted without decoding', () => {
  fc.assert(
    fc.property(positions, (given) => {
      const bytes = encodePositions(given);
      expect(decodePositions(bytes)).toEqual(given);
      expect(countPositions(bytes)).toBe(given.length / 2);
    }),
  );
});

test('bytes that are no positions give some or none, never an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(decodePositions(bytes).length % 2).toBe(0);
    }),
  );
});
