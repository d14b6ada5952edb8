import test from 'ava';
test('fails', (t) => {
  t.is(1 + 1, 3);
});
test('throws', () => { throw new Error('boom'); });
test('passes', (t) => t.pass());
