import { expect, test } from 'vitest';
import { printJson, printJsonLine } from '#cli/print/json.ts';
import { fakeIo } from '../../../support/fake-io.ts';

/**
 * Strings with a one-byte control sequence, characters that change the text direction, a backslash before such a
 * character, and DEL.
 */
const value = {
  ok: true,
  changed: ['\u009b31mred', 'not \u202ewhat it seems\u2066', '\\\u202e', '\u007f', 'שלום ✓'],
} as const;

test.each([printJson, printJsonLine])('%o: nothing steers a terminal, and the values are the same', (print) => {
  const io = fakeIo();
  print(value, io.stdout);
  expect(io.out()).not.toMatch(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  expect(io.out()).toContain('שלום ✓');
  expect(JSON.parse(io.out())).toEqual(value);
});
