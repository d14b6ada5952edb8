import { expect, test } from 'vitest';
import { changedFileLines, changeSummary } from '#cli/print/change-counts.ts';
import { printPatch } from '#cli/print/patch.ts';
import { styleFor } from '#cli/print/style.ts';
import { fakeIo } from '../../../support/fake-io.ts';

const PATCH = [
  ...['diff --git a/a.txt b/a.txt', 'index 1..2 100644', '--- a/a.txt', '+++ b/a.txt', '@@ -1,2 +1,2 @@'],
  ...[' same', '-old\r', '+new \u001b]0;title\u0007\u202e', '\\ No newline at end of file', ''],
].join('\n');

test('on a terminal, a diff is coloured and nothing in it steers the terminal', () => {
  const io = fakeIo({ terminal: true });
  printPatch(PATCH, io.stdout, io);
  const [bold, red, green, cyan, dim] = ['1m', '31m', '32m', '36m', '2m'].map((code) => `\u001b[${code}`);
  expect(io.out().split('\n')).toEqual([
    ...PATCH.split('\n')
      .slice(0, 4)
      .map((line) => `${bold}${line}\u001b[22m`),
    `${cyan}@@ -1,2 +1,2 @@\u001b[39m`,
    ' same',
    `${red}-old^M\u001b[39m`,
    `${green}+new \ufffd\u001b[39m`,
    `${dim}\\ No newline at end of file\u001b[22m`,
    '',
  ]);
});

test('in a pipe, a diff stays as git printed it', () => {
  const io = fakeIo();
  printPatch(PATCH, io.stdout, io);
  expect(io.out()).toBe(PATCH);
});

const FILES = [
  { path: 'src/a.txt', change: 'modified', from: null, added: 12, deleted: 3 },
  { path: 'b.bin', change: 'added', from: null, added: null, deleted: null },
  { path: `deep/${'x'.repeat(90)}/last.ts`, change: 'renamed', from: 'old.ts', added: 0, deleted: 0 },
] as const;
const CHANGES = { files: FILES, added: 12, deleted: 3 };

test('the files of a change fit the screen and keep the ends of their names', () => {
  const io = fakeIo({ terminal: true, env: { NO_COLOR: '1' } });
  const lines = changedFileLines(CHANGES, 3, io.stdout, io);
  expect(lines.map((line) => line.length <= 80)).toEqual([true, true, true]);
  expect(lines[2]).toMatch(/^ {2}R …x+\/last\.ts {2}\+0 −0$/);
  expect(changedFileLines(CHANGES, 1, io.stdout, io)).toEqual(['  M src/a.txt  +12 −3', '  and 2 more']);
});

test('the summary counts lines and files', () => {
  const io = fakeIo();
  const style = styleFor(io.stdout, io);
  expect(changeSummary(CHANGES, style)).toBe('+12 −3 in 3 files');
  expect(changeSummary({ ...CHANGES, files: FILES.slice(0, 1) }, style)).toBe('+12 −3 in 1 file');
  expect(changeSummary({ files: [], added: 0, deleted: 0 }, style)).toBe('no changes');
});
