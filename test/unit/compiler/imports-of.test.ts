import { expect, test } from 'vitest';
import { importsOf } from '#compiler/index.ts';

const imports = (path: string, written: readonly unknown[]): readonly string[] =>
  importsOf({ path, text: JSON.stringify({ imports: written }) });

test.each([
  ['workflows.json', ['./a.json', 'b/c.json', 'a.json'], ['a.json', 'b/c.json']],
  [
    '.vision/workflows.json',
    ['./a.json', '../shared/b.json', 'x/../c.json'],
    ['.vision/a.json', 'shared/b.json', '.vision/c.json'],
  ],
  ['./.vision/workflows.json', ['a.json'], ['.vision/a.json']],
  ['/project/.vision/workflows.json', ['../a.json', '../../../b.json'], ['/project/a.json']],
  [
    'workflows.json',
    [
      '../a.json',
      '/a.json',
      'a\\b.json',
      'file:///a.json',
      'C:a.json',
      '~/a.json',
      '',
      '.',
      'lib/',
      'a\u0000b',
      5,
      null,
    ],
    [],
  ],
])('%s imports %j', (path, written, expected) => {
  expect(imports(path, written)).toEqual(expected);
});

test('a text that is not JSON imports nothing', () => {
  expect(importsOf({ path: 'a.json', text: '{"imports": [' })).toEqual([]);
  expect(importsOf({ path: 'a.json', text: '["imports"]' })).toEqual([]);
  expect(importsOf({ path: 'a.json', text: '{"imports": "a.json"}' })).toEqual([]);
});
