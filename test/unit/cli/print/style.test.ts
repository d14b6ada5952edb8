import { expect, test } from 'vitest';
import { durationText } from '#cli/print/time-text.ts';
import { actionText } from '#cli/print/progress-lines.ts';
import { styleFor } from '#cli/print/style.ts';
import { fakeIo } from '../../../support/fake-io.ts';

test.each([
  ['a pipe', { terminal: false }, false],
  ['a terminal', { terminal: true }, true],
  ['NO_COLOR', { terminal: true, env: { NO_COLOR: '1' } }, false],
  ['an empty NO_COLOR', { terminal: true, env: { NO_COLOR: '' } }, true],
  ['a dumb terminal', { terminal: true, env: { TERM: 'dumb' } }, false],
  ['FORCE_COLOR', { terminal: false, env: { FORCE_COLOR: '1' } }, true],
  ['FORCE_COLOR=0', { terminal: true, env: { FORCE_COLOR: '0' } }, false],
])('colours on %s', (_name, overrides, coloured) => {
  const io = fakeIo(overrides);
  expect(styleFor(io.stderr, io).paint.red('x') !== 'x').toBe(coloured);
});

test('plain signs on a console that has no others', () => {
  const io = fakeIo({ platform: 'win32' });
  expect(styleFor(io.stderr, io).symbols.arrow).toBe('->');
});

test.each([
  [0, '0ms'],
  [99.4, '99ms'],
  [100, '0.1s'],
  [59_949, '59.9s'],
  [59_951, '1m 00s'],
  [125_000, '2m 05s'],
])('%f ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  ['JUMP:Main__Two', 'Two'],
  ['JUMP:Other__Two', 'Other__Two'],
  ['CALL:Sub:Main__Two', 'call Sub, then Two'],
  ['CALL:Sub', 'call Sub, then Three'],
  ['FORK:A,B', 'fork A, B, then Three'],
  ['FORK:A,B:Main__Two', 'fork A, B, then Two'],
  ['RETURN', 'return'],
  ['HALT_AND_FLAG', 'halt'],
])('%s reads %s', (action, text) => {
  expect(actionText(action, (block) => block.replace('Main__', ''), 'Main__Three')).toBe(text);
});

test('from the last block of a node a call comes back to none', () => {
  expect(actionText('CALL:Sub', (block) => block, null)).toBe('call Sub, then return');
});
