import { describe, expect, it, test } from 'vitest';
import { add } from './add.mjs';
describe('suite', () => {
  it('fails', () => {
    expect(add(1, 1)).toBe(3);
  });
  it('passes', () => { expect(1).toBe(1); });
  it.skip('skipped', () => {});
});
test('throws', () => { throw new Error('boom\nsecond'); });
