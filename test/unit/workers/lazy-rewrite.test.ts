import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verifies } from '../../e2e/verifies.ts';
import { WRITE_CODES } from '#workers/answer/found.ts';
import { lazyRewrite } from '#workers/answer/lazy-rewrite.ts';

const lines = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => `const v${index + from} = ${index + from};\n`).join('');

const judged = (old: string, text: string, shorten = false): string | null =>
  lazyRewrite('a.ts', old, text, shorten)?.code ?? null;

test.each([
  [10, 10, null],
  [10, 5, null],
  [10, 4, 'lazy_rewrite'],
  [11, 5, 'lazy_rewrite'],
  [1, 0, 'lazy_rewrite'],
  [0, 0, null],
  [4, 100, null],
])('of %i lines %i are left: %s', (before, after, code) => {
  verifies('workers.access.lazy-rewrite');
  expect(judged(lines(before), lines(after))).toBe(code);
  expect(judged(lines(before), lines(after), true)).toBe(null);
});

test('blank lines are no text, and long lines count for more', () => {
  expect(judged(lines(10), `${lines(4)}${'\n'.repeat(20)}`)).toBe('lazy_rewrite');
  expect(judged(`${'x'.repeat(1_000)}\n${lines(3)}`, lines(4))).toBe('lazy_rewrite');
});

test('another text of the same size is no lazy one', () => {
  expect(judged(lines(100), lines(80, 500))).toBe(null);
});

test.each([
  '// ... rest of the code unchanged',
  '// ... existing code ...',
  '// ...',
  '    # ... (rest of the imports unchanged)',
  '# … existing methods …',
  '/* ... rest of the styles remain the same ... */',
  '<!-- rest of the file remains the same -->',
  '{/* ... other routes ... */}',
  '-- ... other tables as before',
  '... rest of file ...',
  '[... rest of the README unchanged ...]',
  '// The rest of the class stays the same',
  '// remaining methods unchanged',
  '# existing code here',
  '// same as before',
  '// (previous code omitted for brevity)',
  '// Keep the rest of the file as it was before',
])('%s stands for what was left out', (line) => {
  verifies('workers.access.lazy-rewrite');
  expect(judged(lines(5), `${lines(5)}${line}\n`)).toBe('placeholder');
  expect(judged(lines(5), `${lines(5)}${line}\n`, true)).toBe('placeholder');
  expect(judged(`${lines(5)}${line}\n`, `${lines(5)}${line}\n`)).toBe(null);
});

test.each([
  'const all = [...existing, ...other];',
  '  ...rest,',
  '...props',
  '    ...',
  'print("...")',
  '// Loads ... and the rest follows from the table = below',
  '// the rest is cached by the caller',
  '# wait for it...',
  'const label = "rest of the code unchanged";',
  '// existing users keep their old id',
  '# Other tools',
])('%s is ordinary', (line) => {
  expect(judged(lines(5), `${lines(5)}${line}\n`)).toBe(null);
});

test('every code is explained', () => {
  const documented = readFileSync(new URL('../../../schemas/errors.md', import.meta.url), 'utf8');
  for (const code of WRITE_CODES) expect(documented).toContain(`| \`${code}\` |`);
});
