import { describe, expect, test } from 'bun:test';
describe('suite', () => {
  test('fails', () => {
    expect(1 + 1).toBe(3);
  });
  test('ok', () => {});
  test.skip('skipped', () => {});
});
