const t = require('tap');
t.test('suite', (t) => {
  t.equal(1 + 1, 3, 'sum');
  t.ok(true);
  t.end();
});
t.ok(false, 'top');
