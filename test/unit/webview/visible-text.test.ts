import { expect, test } from 'vitest';
import { visibleName, visibleText } from '../../../webview-ui/src/look/visible-text.ts';

test.each([
  ['terminal colours', '\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
  ['text that is turned around', 'a\u202etxt.exe\u202c', 'a[U+202E]txt.exe[U+202C]'],
  ['marks of direction', '\u200fx\u2066y\u2069', '[U+200F]x[U+2066]y[U+2069]'],
  ['what can not be seen', 'SUC\u200bCESS\u2060\ufeff', 'SUC[U+200B]CESS[U+2060][U+FEFF]'],
  ['a NUL and a delete', 'a\u0000b\u007f', 'a␀b␡'],
  ['a bell in C1', '\u0085', '[U+0085]'],
  ['letters of tags', '\u{e0041}', '[U+E0041]'],
  ['a letter of JavaScript without a picture', 'a, \u3164', 'a, [U+3164]'],
  ['bytes behind an emoji', '\u{1f600}\ufe01\u{e0101}', '\u{1f600}\ufe01[U+E0101]'],
  ['an emoji of three', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
  ['lines and tabs', 'a\r\nb\n\tc', 'a\nb\n\tc'],
  ['other languages', 'Größe 日本語 שלום', 'Größe 日本語 שלום'],
])('%s', (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test('a name is one short line', () => {
  expect(visibleName('a\nb\t c')).toBe('a b c');
  expect(visibleName('x'.repeat(5000))).toBe(`${'x'.repeat(300)}…`);
});
