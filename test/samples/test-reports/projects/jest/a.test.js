describe('suite', () => {
  it('fails', () => {
    expect(1 + 1).toBe(3);
  });
  it('passes', () => {});
  it.skip('skipped', () => {});
});
test('throws', () => { throw new TypeError('boom'); });
