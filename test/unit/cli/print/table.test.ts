import { expect, test } from 'vitest';
import { ageText } from '#cli/print/time-text.ts';
import { bytesText } from '#protocol/amount-text.ts';
import { type Column, tableLines } from '#cli/print/table.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'run' },
  { heading: 'at', least: 4 },
  { heading: 'steps', right: true },
  { heading: '', least: 3 },
];

const rows = [
  [{ text: 'r1' }, { text: 'Main__Block' }, { text: '3' }, { text: 'a long note' }],
  [{ text: 'r22' }, { text: 'B' }, { text: '12' }, { text: '' }],
];

const shown = (room: number): readonly string[] => tableLines(COLUMNS, rows, room, (text) => text);

test('a column is as wide as its widest cell; no line has spaces at its end', () => {
  expect(shown(Number.POSITIVE_INFINITY)).toEqual([
    'run  at           steps',
    'r1   Main__Block      3  a long note',
    'r22  B               12',
  ]);
});

test('on a narrow screen the widest of the columns that may be cut is cut first, down to their least', () => {
  expect(shown(30)).toEqual(['run  at        steps', 'r1   Main__B…      3  a long …', 'r22  B            12']);
  expect(shown(21)).toEqual(['run  at    steps', 'r1   Mai…      3  a …', 'r22  B        12']);
});

test('where that is not enough, all others are cut, too: nothing is wider than the screen', () => {
  for (const room of [20, 15, 10])
    expect(Math.max(...shown(room).map(({ length }) => length))).toBeLessThanOrEqual(room);
});

test('cells are painted when they have their width', () => {
  const paint = (text: string): string => `<${text}>`;
  const lines = tableLines([{ heading: 'a' }, { heading: 'b' }], [[{ text: 'x', paint }, { text: 'y' }]], 80, paint);
  expect(lines).toEqual(['<a>  <b>', '<x>  y']);
});

const NOW = Date.UTC(2026, 0, 1);

test.each([
  [0, '0s'],
  [-5_000, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [3_599_999, '59m'],
  [3_600_000, '1h'],
  [47 * 3_600_000, '47h'],
  [48 * 3_600_000, '2d'],
  [400 * 86_400_000, '400d'],
])('%i ms ago is %s', (ms, text) => {
  expect(ageText(NOW - ms, NOW)).toBe(text);
});

test.each([
  [0, '0 B'],
  [812, '812 B'],
  [1_000, '1.0 KB'],
  [3_440, '3.4 KB'],
  [999_400, '999 KB'],
  [999_600, '1.0 MB'],
  [120_000_000, '120 MB'],
  [5e12, '5.0 TB'],
])('%i bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

test('a column that may be left out is, where it says nothing, and where there is no room: the smallest number first', () => {
  const columns: readonly Column[] = [
    { heading: 'run' },
    { heading: 'at', least: 4, drop: 2 },
    { heading: 'steps', right: true, drop: 1 },
    { heading: 'cost', drop: 3 },
  ];
  const cells = [
    [{ text: 'r1' }, { text: 'Main__Block' }, { text: '3' }, { text: '' }],
    [{ text: 'r22' }, { text: 'B' }, { text: '12' }],
  ];
  const inRoom = (room: number) => tableLines(columns, cells, room, (text) => text);
  expect(inRoom(80)).toEqual(['run  at           steps', 'r1   Main__Block      3', 'r22  B               12']);
  expect(inRoom(16)).toEqual(['run  at    steps', 'r1   Mai…      3', 'r22  B        12']);
  expect(inRoom(15)).toEqual(['run  at', 'r1   Main__Blo…', 'r22  B']);
  expect(inRoom(8)).toEqual(['run', 'r1', 'r22']);
  expect(inRoom(2)).toEqual(['r…', 'r1', 'r…']);
});

test('characters that take two columns, or none, are counted as what they take; none is cut apart', () => {
  const wide = [
    [{ text: 'r1' }, { text: '修复登录' }, { text: '3' }, { text: 'x' }],
    [{ text: 'r2' }, { text: 'cafe\u0301' }, { text: '12' }, { text: '🚀👩\u200d💻🚀' }],
  ];
  const lines = (room: number) => tableLines(COLUMNS, wide, room, (text) => text);
  expect(lines(Number.POSITIVE_INFINITY)).toEqual([
    'run  at        steps',
    'r1   修复登录      3  x',
    'r2   cafe\u0301         12  🚀👩\u200d💻🚀',
  ]);
  expect(lines(24)).toEqual(['run  at     steps', 'r1   修复…      3  x', 'r2   cafe\u0301      12  🚀👩\u200d💻…']);
});
