describe('suite', () => {
  it('fails', () => {
    expect(1 + 1).toBe(3);
  });
  it('passes', () => { expect(1).toBe(1); });
  xit('skipped', () => {});
});
