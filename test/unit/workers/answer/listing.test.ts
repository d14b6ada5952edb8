import { expect, test } from 'vitest';
import { readFiles } from '#workers/answer/read-files.ts';

/** Returns path and content of each file, or code and path of each problem. */
function read(answer: string): readonly (readonly [string, string])[] {
  const reading = readFiles(answer, null);
  return reading.ok
    ? reading.files.map(({ path, content }) => [path, content])
    : reading.problems.map(({ code, path }) => [code, path]);
}

test.each<[string, string, readonly (readonly [string, string])[]]>([
  [
    'Ruby',
    '=== lib/a.rb ===\ndef one\n  1\nend\n\ndef two\n  2\nend\n=== lib/b.rb ===\nputs 1\n',
    [
      ['lib/a.rb', 'def one\n  1\nend\n\ndef two\n  2\nend\n'],
      ['lib/b.rb', 'puts 1\n'],
    ],
  ],
  ['SQL', 'FILE: a.sql\nBEGIN\n  x := 1;\nEND;\nSELECT 1;\n', [['a.sql', 'BEGIN\n  x := 1;\nEND;\nSELECT 1;\n']]],
  [
    'a here-document',
    '=== run.sh ===\ncat <<EOF\nhi\nEOF\necho done\n',
    [['run.sh', 'cat <<EOF\nhi\nEOF\necho done\n']],
  ],
  ['a story', 'FILE: a.md\n# Title\nEnd of story\nmore\n', [['a.md', '# Title\nEnd of story\nmore\n']]],
  [
    'an end mark of another listing',
    '=== a.rb ===\nx = 1\n--- end ---\ny = 2\n',
    [['a.rb', 'x = 1\n--- end ---\ny = 2\n']],
  ],
  ['a signal in its midst', '=== a.rb ===\nx = 1\nSIGNAL:A\ny = 2\n', [['a.rb', 'x = 1\nSIGNAL:A\ny = 2\n']]],
])('%s survives words that mean an end elsewhere', (_what, answer, files) => {
  expect(read(answer)).toEqual(files);
});

test.each([
  ['=== end ===', '=== a.rb ==='],
  ['=== END OF FILE ===', '=== file: a.rb ==='],
  ['// ----- End file: a.rb -----', '// ----- FILE: a.rb -----'],
  ['# **** EOF ****', '# **** a.rb ****'],
])('%s ends what %s has begun', (end, head) => {
  expect(read(`${head}\nx = 1\n${end}\n\nGood luck with your project!\n`)).toEqual([['a.rb', 'x = 1\n']]);
});

test('what stands after an end mark, and is no talk, is not dropped', () => {
  expect(read('=== a.rb ===\nx = 1\n=== end ===\ny = 2\n')).toEqual([['ambiguous', 'a.rb']]);
});

test('a name that begins with "file" is a name', () => {
  expect(read('=== files.ts ===\nconst a = 1;\n')).toEqual([['files.ts', 'const a = 1;\n']]);
});

test('talk at its end is left out where it is a paragraph of its own, beside code', () => {
  expect(read('=== a.rb ===\nx = 1\n\nThis is all you need to do now.\n')).toEqual([['a.rb', 'x = 1\n']]);
  const license = 'Permission is granted.\n\nThe software is provided as it is.\n';
  expect(read(`=== LICENSE ===\n${license}`)).toEqual([['LICENSE', license]]);
  const feature = 'Feature: a\n  Scenario: b\n    Then the user sees a page of all her orders\n';
  expect(read(`=== a.feature ===\n${feature}`)).toEqual([['a.feature', feature]]);
});
