Deno.test('fails', () => {
  const x = 1;
  if (x + 1 !== 3) throw new Error('2 is not 3');
});
Deno.test('ok', () => {});
Deno.test({ name: 'skipped', ignore: true, fn: () => {} });
