const { test, expect } = require('@playwright/test');

test.describe('suite', () => {
  test('fails', () => {
    expect(1 + 1).toBe(3);
  });
  test('passes', () => {});
  test.skip('skipped', () => {});
});
