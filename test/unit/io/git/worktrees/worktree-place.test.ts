import { expect, test } from 'vitest';
import { slugOf } from '#io/git/worktrees/worktree-place.ts';

test.each([
  ['Straße löschen', 'strasse-loschen'],
  ['GROẞE MAẞE', 'grosse-masse'],
  ['Smørrebrød på æblet', 'smorrebrod-pa-aeblet'],
  ['Œuvre complète', 'oeuvre-complete'],
  ['Łódź i Đakovo', 'lodz-i-dakovo'],
  ['Þingvellir, ıssız', 'thingvellir-issiz'],
  ['Очистка кэша', 'ochistka-kesha'],
  ['Объём их файлов', 'obem-ikh-failov'],
  ['Η αναζήτηση', 'i-anazitisi'],
  ['Fix 日本語 input', 'fix-input'],
  ['日本語', ''],
  ['#12: Login fails!', '12-login-fails'],
  ['ﬁne Ⅳ', 'fine-iv'],
])('the name of the branch of "%s" is readable', (title, slug) => {
  expect(slugOf(title)).toBe(slug);
});

test('a letter that becomes several does not make the name longer than allowed', () => {
  expect(slugOf('ß'.repeat(20))).toBe('s'.repeat(24));
});
