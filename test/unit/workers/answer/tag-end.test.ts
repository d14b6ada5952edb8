import { expect, test } from 'vitest';
import { readFiles } from '#workers/answer/read-files.ts';

const read = (answer: string): readonly string[] => {
  const reading = readFiles(answer, null);
  return reading.ok ? reading.files.map(({ content }) => content) : reading.problems.map(({ code }) => code);
};

const file = (content: string): string => `<file path="src/a.xml">\n${content}</file>\nSIGNAL:SUCCESS`;

test.each<[string, string]>([
  ['on lines of their own', '<phpunit>\n  <file>tests/A.php</file>\n  <file>tests/B.php</file>\n</phpunit>\n'],
  ['over several lines', '<list>\n<file>\n  <name>a</name>\n</file>\n</list>\n'],
  ['one in another', '<file><file>\n</file></file>\n'],
  ['with attributes', '<list>\n<file path="b">\nx\n</file>\n</list>\n'],
  ['empty', '<list>\n<file/><file name="b" />\n</list>\n'],
  ['with longer names', '<files>\n<filename>a</filename>\n</files>\n'],
  ['in the midst of a line, alone', 'const end = "</file>";\nmore\n'],
])('a file holds tags of its own tag, %s', (_how, content) => {
  expect(read(file(content))).toEqual([content]);
});

test.each<[string, string]>([
  ['an end without a beginning', 'const a = `\n</file>\n`;\nmore\n'],
  ['a beginning without an end', 'const a = "<file>";\nmore\n'],
  ['a beginning over two lines', '<file\n  name="b">\nx\n</file>\nmore\n'],
  ['several ends and a beginning', 'a\n</file>\n<file>\n'],
])('%s is refused, where a part of the file would be lost', (_what, content) => {
  expect(read(file(content))).toEqual(['ambiguous']);
});

test('a file may begin with a long line, beside others', () => {
  const long = `{"a":"${'x'.repeat(20_000)}"}`;
  expect(read(`<file path="a.ts">\nx\n</file>\n<file path="b.json">${long}</file>`)).toEqual(['x\n', `${long}\n`]);
});

test('two files on one line are not one', () => {
  expect(read('<file path="a.ts">x</file><file path="b.ts">y</file>')).toEqual(['ambiguous']);
});

test('parameters of an agent that hold no file may have several lines', () => {
  const call = (name: string, text: string): string => `<parameter name="${name}">${text}</parameter>`;
  const answer = [call('path', 'a.ts'), call('content', 'x\n'), call('why', '\nnew\n'), call('path', 'b.ts')];
  expect(read([...answer, call('content', 'y\n')].join('\n'))).toEqual(['x\n', 'y\n']);
});
