import { expect, test } from 'vitest';
import { readFiles } from '#workers/answer/read-files.ts';

const fence = (info: string, body: string, mark = '```'): string => `${mark}${info}\n${body}\n${mark}`;

const found = (text: string, fallback: string | null = null): readonly (readonly [string, string])[] | string => {
  const reading = readFiles(text, fallback);
  return reading.ok ? reading.files.map(({ path, content }) => [path, content]) : (reading.problems[0]?.code ?? '');
};

test.each<[string, string, string | null, readonly (readonly [string, string])[] | string]>([
  [
    'fences inside a longer fence',
    fence('md README.md', `text\n${fence('sh', 'npm test')}`, '````'),
    null,
    [['README.md', 'text\n```sh\nnpm test\n```\n']],
  ],
  ['a longer closing fence', '```ts src/a.ts\nx\n`````', null, [['src/a.ts', 'x\n']]],
  ['a quoted title', fence('js title="my file.js"', 'x'), null, [['my file.js', 'x\n']]],
  ['CRLF', '```ts src/a.ts\r\nx\r\ny\r\n```\r\n', null, [['src/a.ts', 'x\ny\n']]],
  ['one block without a path', `Sure!\n${fence('ts', 'x')}`, 'src/a.ts', [['src/a.ts', 'x\n']]],
  ['two blocks without a path', `${fence('ts', 'x')}\n${fence('ts', 'y')}`, 'src/a.ts', 'no_files'],
  ['a block of another language', `Run\n${fence('sh', 'x')}`, 'src/a.ts', 'no_files'],
  ['a fence that never ends', '```ts src/a.ts\nx', 'src/a.ts', 'truncated'],
  ['no code', 'I could not do it.', 'src/a.ts', 'no_files'],
  ['a word', 'Done', 'src/a.ts', 'no_files'],
  ['nothing', '', 'src/a.ts', 'no_files'],
])('%s', (_name, text, fallback, expected) => {
  expect(found(text, fallback)).toEqual(expected);
});

test.each([
  ['README.md', 'README.md'],
  ['ts README.md', 'README.md'],
  ['ts:README.md', 'README.md'],
  ['types.d.ts', 'types.d.ts'],
  ['.gitignore', '.gitignore'],
  ['tsx app/[id]/page.tsx', 'app/[id]/page.tsx'],
  ['ts // src/a.ts', 'src/a.ts'],
  ['ts {1,3} title="src/a.ts"', 'src/a.ts'],
  ["js {filename: 'src/a.js'}", 'src/a.js'],
  ['make path=Makefile', 'Makefile'],
  ['make Makefile', 'Makefile'],
  ['sh bin/tool', 'bin/tool'],
  ['python3.11 src/a.py', 'src/a.py'],
  ['python3.11', null],
  ['lua 5.4', null],
  ['text/html', null],
  ['VB.NET', null],
  ['Makefile', null],
  ['{.ts .numbered}', null],
  ['ts key=a.b', null],
  ['ts title="An example"', null],
])('the info string %j names the file %j', (info, expected) => {
  const files = found(fence(info, 'x'));
  expect(typeof files === 'string' ? [] : files.map(([path]) => path)).toEqual(expected === null ? [] : [expected]);
});

test.each([
  ['### 3. `src/a.ts`', 'src/a.ts'],
  ['**src/a.ts**', 'src/a.ts'],
  ['**`src/a.ts`:**', 'src/a.ts'],
  ['- **File:** `src/a.ts` (new)', 'src/a.ts'],
  ['File path: src/a.ts', 'src/a.ts'],
  ['src/a.ts:', 'src/a.ts'],
  ['`src/a.ts` — the entry point', null],
  ['文件：src/a.ts', 'src/a.ts'],
  ['ファイル：src/a.ts', 'src/a.ts'],
  ['**文件路径**：src/a.ts', 'src/a.ts'],
  ['1、src/a.ts', 'src/a.ts'],
  ['#src/a.ts', 'src/a.ts'],
  ['`src/a.ts` (1 line)', 'src/a.ts'],
  ['`.ts`:', null],
  ['**.md**', null],
  ['Create `src/a.ts`:', 'src/a.ts'],
  ["Sure! Here's `src/a.ts`:", 'src/a.ts'],
  ['Files: `src/a.ts` and `src/b.ts`', null],
  ['It runs on Node.js', null],
  ['### Node.js', null],
  ['See https://example.com/a.ts', null],
  ['Just text.', null],
])('the line %j before a block names the file %j', (line, expected) => {
  const files = found(`${line}\n\n${fence('ts', 'x')}`);
  expect(typeof files === 'string' ? null : files[0]?.[0]).toBe(expected);
});
