import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { commandLines, fitLines, fitOutlineLine } from '#cli/print/fit-lines.ts';
import { printProblem } from '#cli/print/problem.ts';
import { fakeIo } from '../../../support/fake-io.ts';

test('a line of an outline continues below its own text', () => {
  const line = '    ✓ Repair  SUCCESS   → fork Review_Cause, Review_Tests, then Decide';
  expect(fitOutlineLine(line, 40)).toEqual([
    '    ✓ Repair  SUCCESS   → fork',
    '        Review_Cause, Review_Tests, then',
    '        Decide',
  ]);
  expect(fitOutlineLine(`\u001b[2m   7\u001b[22m${line}`, 200)).toHaveLength(1);
});

test('a line that is too wide is broken between words, and goes on where it is told to', () => {
  expect(fitLines('  one two three', 9, '  ')).toEqual(['  one two', '  three']);
  expect(fitLines('one\n\ntwo three', 5)).toEqual(['one', '', 'two', 'three']);
  expect(fitLines('as it is', Number.POSITIVE_INFINITY)).toEqual(['as it is']);
});

test('a word that no line has room for stays whole', () => {
  expect(fitLines('a incomprehensible b', 6, ' ')).toEqual(['a', ' incomprehensible', ' b']);
});

test('what is painted is as wide as it looks', () => {
  const painted = fitLines('\u001b[31mone\u001b[39m two three', 7);
  expect(painted.map(stripVTControlCharacters)).toEqual(['one two', 'three']);
});

test('a command is broken so that a shell still takes it for one, and never in what is quoted', () => {
  const command = "robosmith resume r1 --guidance 'two words'";
  expect(commandLines(command, 30, '  ', fakeIo())).toEqual(['  robosmith resume r1 \\', "    --guidance 'two words'"]);
  expect(commandLines(command, 24, '', fakeIo())).toEqual([
    'robosmith resume r1 \\',
    '  --guidance \\',
    "  'two words'",
  ]);
  expect(commandLines(command, 80, '  ', fakeIo())).toEqual([`  ${command}`]);
  expect(commandLines(command, 30, '  ', fakeIo({ platform: 'win32' }))).toEqual([`  ${command}`]);
});

test('nothing that is told on a narrow terminal is wider than it', () => {
  let text = '';
  const stderr = { isTerminal: true, columns: () => 40, write: (more: string) => void (text += more) };
  const message = 'session s0a1b2c3d "A title" is halted: its run r0a1b2c3d4e5f can still go on';
  printProblem(
    { code: 'wrong_state', message, next: ['robosmith resume r0a1b2c3d4e5f --guidance words --retry'] },
    fakeIo({ stderr, env: { FORCE_COLOR: '0' } }),
  );
  expect(text.split('\n').filter((line) => line.length > 40)).toEqual([]);
  expect(text.replaceAll(/(?: \\)?\n +/g, ' ')).toContain(message);
});

test('a line of wide characters is broken where the screen ends', () => {
  expect(fitLines('修复 登录 页面', 10)).toEqual(['修复 登录', '页面']);
});
