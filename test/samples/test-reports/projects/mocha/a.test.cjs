const assert = require('assert');
describe('suite', () => {
  it('fails', () => {
    assert.equal(1 + 1, 3);
  });
  it('passes', () => {});
  it.skip('skipped', () => {});
  describe('hooked', () => { before(() => { throw new Error('in hook'); }); it('never', () => {}); });
});
