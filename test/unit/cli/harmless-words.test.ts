import { expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { fakeIo } from '../../support/fake-io.ts';

test('--debug steers the terminal no more than the message does', async () => {
  const io = fakeIo();
  expect(await main(['help', 'x\u001b[2J\u0007', '--debug'], io)).toBe(2);
  expect(io.err()).toContain('is not a command of robosmith.\n    at ');
  for (const sign of ['\u001b', '\u0007']) expect(io.err()).not.toContain(sign);
});
