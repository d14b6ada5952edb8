import { expect, test } from 'vitest';
import { fromHere } from '#cli/names/command-from-here.ts';

test.each([
  ['a', 'robosmith -C a runs'],
  ['a$$b', "robosmith -C 'a$$b' runs"],
  ['$& $1', "robosmith -C '$& $1' runs"],
  [undefined, 'robosmith runs'],
])('a command to type next names the place %s as it is called', (place, command) => {
  expect(fromHere('robosmith runs', { place })).toBe(command);
});
