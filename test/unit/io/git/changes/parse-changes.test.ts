import { expect, test } from 'vitest';
import { parseCounts, parseNames } from '#io/git/changes/parse-changes.ts';

test('names with tabs and line feeds, renames and binary files are counted', () => {
  const text = '1\t2\ta.txt\0-\t-\tb\tin.dat\0' + '3\t0\t\0old.txt\0new\nname.txt\0';
  expect([...parseCounts(text)]).toEqual([
    ['a.txt', { added: 1, deleted: 2 }],
    ['b\tin.dat', { added: null, deleted: null }],
    ['new\nname.txt', { added: 3, deleted: 0 }],
  ]);
});

test('a file in conflict, which git lists twice, is one file', () => {
  expect(parseNames('U\0a.txt\0M\0a.txt\0R097\0old.txt\0new.txt\0D\0gone.txt\0')).toEqual([
    { path: 'a.txt', change: 'modified', from: null },
    { path: 'new.txt', change: 'renamed', from: 'old.txt' },
    { path: 'gone.txt', change: 'deleted', from: null },
  ]);
});
