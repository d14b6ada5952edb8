import { expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { fakeIo } from '../../support/fake-io.ts';

test('what registry check advises is to be typed where it was typed, also as JSON', async () => {
  const io = fakeIo();
  expect(await main(['-C', '/', 'registry', 'check', '--json'], io)).toBe(2);
  expect(JSON.parse(io.out())).toMatchObject({
    ok: false,
    error: { code: 'root_not_found', next: ['robosmith -C / init'] },
  });
});
