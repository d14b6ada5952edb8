import test, { describe, it } from 'node:test';
import assert from 'node:assert';
test('adds', () => {
  assert.equal(1 + 1, 2);
});
describe('suite', () => {
  it('fails', () => {
    const x = 1;
    assert.equal(x + 1, 3);
  });
  it.skip('skipped', () => {});
  it.todo('later');
});
test('parent', async (t) => {
  await t.test('child', () => { throw new TypeError('boom'); });
});
