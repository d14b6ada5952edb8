import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { harmless, withoutSequences } from '#protocol/plain-text.ts';

test.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u001b[1;38;5;200mx\u001b[m', 'x'],
  ['\u001b]8;;https://example.org\u0007link\u001b]8;;\u0007', 'link'],
  ['\u001b]0;title\u001b\\text', 'text'],
  ['\u001b[2J\u001b[Hhome', 'home'],
  ['\u009b31mred', 'red'],
  ['\u001b7saved\u001b8', 'saved'],
  ['\u001b(Bplain', 'plain'],
  ['no sequences: [31m', 'no sequences: [31m'],
  ['', ''],
])('takes sequences out of %j', (text, plain) => {
  expect(withoutSequences(text)).toBe(plain);
});

test('leaves nothing that Node would still take out of colours and links', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('\u001b[31m', '\u001b[0m', '\u001b[1;2;3H', '\u001b]8;;http://x\u0007', '\u001b[?25l'),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const plain = withoutSequences(pieces.join(''));
      expect(stripVTControlCharacters(plain)).toBe(plain);
    }),
  );
});

test.each([
  ['\u001b]', ''],
  ['\u001b]x', 'x'],
  ['\u009d', ''],
  ['\u001b[', ''],
  ['\u001b[1;', ''],
  ['\u001b', '\u001b'],
])('takes time that grows with the length alone: a million times %j', (piece, left) => {
  expect(withoutSequences(piece.repeat(1_000_000)).length).toBeLessThanOrEqual(left.length * 1_000_000 + 1);
});

test('what steers a terminal or hides text is shown as a replacement; emoji and line ends stay', () => {
  expect(harmless('a\u202eb\u2028c\u200bd\ufeffe\u2060f\u{e0041}\u{e007f}g\u0000h')).toBe(
    'a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\ufffd\ufffdg\ufffdh',
  );
  const plain = '\u{1f469}\u200d\u{1f4bb} \u2764\ufe0f\n\t日本 \u00e9';
  expect(harmless(plain)).toBe(plain);
});

test.each([
  ['a letter of JavaScript without a picture', 'const { a, \u3164 } = q', 'const { a, \ufffd } = q'],
  [
    'fillers and a soft hyphen',
    '\u115f\u1160\uffa0\u00ad\u034f\u17b4\u180e',
    '\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd',
  ],
  ['marks of direction', 'a\u200e\u200f\u061cb', 'a\ufffd\ufffd\ufffdb'],
  ['joiners in a name', 'is\u200dAdmin\u200c', 'is\ufffdAdmin\ufffd'],
  ['bytes in variation selectors', '\u{1f600}\ufe01\ufe02\u{e0101}', '\u{1f600}\ufe01\ufffd\ufffd'],
])('%s show as replacements', (_, text, shown) => {
  expect(harmless(text)).toBe(shown);
});

test.each([
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '1\ufe0f\u20e3',
  '\u{1f441}\ufe0f\u200d\u{1f5e8}\ufe0f',
  'می\u200cخواهم',
  'क्\u200dष',
])('joiners and variants stay where scripts and emoji need them: %s', (text) => {
  expect(harmless(text)).toBe(text);
});
