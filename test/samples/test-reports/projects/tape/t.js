const test = require('tape');
test('fails', (t) => {
  t.equal(1 + 1, 3, 'sum');
  t.ok(true, 'fine');
  t.end();
});
