import { expect, test } from 'vitest';
import { codeFiles } from '#workers/code-blocks.ts';

const fence = (info: string, body: string, mark = '```'): string => `${mark}${info}\n${body}\n${mark}`;

test.each<[string, string, string | null, readonly (readonly [string, string])[]]>([
  [
    'a path in the info string',
    `Here:\n${fence('ts path=src/a.ts', 'const a = 1;')}\nDone.`,
    null,
    [['src/a.ts', 'const a = 1;\n']],
  ],
  ['a quoted title', fence('js title="my file.js"', 'x'), null, [['my file.js', 'x\n']]],
  ['a bare path', fence('src/a.ts', 'x'), null, [['src/a.ts', 'x\n']]],
  ['language and path', fence('ts:src/a.ts', 'x'), null, [['src/a.ts', 'x\n']]],
  [
    'several files',
    `${fence('ts src/a.ts', 'a')}\n\nand\n\n${fence('md docs/b.md', 'b')}`,
    null,
    [
      ['src/a.ts', 'a\n'],
      ['docs/b.md', 'b\n'],
    ],
  ],
  [
    'fences inside a longer fence',
    fence('md README.md', `text\n${fence('sh', 'npm test')}`, '````'),
    null,
    [['README.md', 'text\n```sh\nnpm test\n```\n']],
  ],
  ['tildes', fence('ts src/a.ts', 'x', '~~~'), null, [['src/a.ts', 'x\n']]],
  ['CRLF', '```ts src/a.ts\r\nx\r\ny\r\n```\r\n', null, [['src/a.ts', 'x\ny\n']]],
  [
    'one block without a path, where the block names one file',
    `Sure!\n${fence('ts', 'x')}`,
    'src/a.ts',
    [['src/a.ts', 'x\n']],
  ],
  ['two blocks without a path are not guessed at', `${fence('ts', 'x')}\n${fence('ts', 'y')}`, 'src/a.ts', []],
  ['a fence that never ends is left out', '```ts src/a.ts\nx', 'src/a.ts', []],
  ['no code', 'I could not do it.', 'src/a.ts', []],
])('%s', (_name, text, fallback, expected) => {
  expect(codeFiles(text, fallback).map(({ path, content }) => [path, content])).toEqual(expected);
});

test.each([
  ['README.md', 'README.md'],
  ['ts README.md', 'README.md'],
  ['ts:README.md', 'README.md'],
  ['types.d.ts', 'types.d.ts'],
  ['.gitignore', '.gitignore'],
  ['tsx app/[id]/page.tsx', 'app/[id]/page.tsx'],
  ['make path=Makefile', 'Makefile'],
  ['python3.11 src/a.py', 'src/a.py'],
  ['python3.11', null],
  ['lua 5.4', null],
  ['text/html', null],
  ['VB.NET', null],
  ['Makefile', null],
  ['make Makefile', null],
  ['{.ts .numbered}', null],
  ['ts key=a.b', null],
])('the info string %j names the file %j', (info, expected) => {
  expect(codeFiles(fence(info, 'x'), null).map(({ path }) => path)).toEqual(expected === null ? [] : [expected]);
});

// Tried in every way, they would take half a minute.
test.each([
  ['backticks', '`'.repeat(100_000)],
  ['tildes', `${'~'.repeat(100_000)}\``],
  ['spaces', `\`\`\`${' '.repeat(100_000)}\``],
])(
  'lines of many %s are read at once',
  (_of, line) => {
    expect(codeFiles(`${line}\n`.repeat(10), null)).toEqual([]);
  },
  10_000,
);
