import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { WRITE_CODES } from '#workers/answer/found.ts';
import { whyIncomplete } from '#workers/answer/omission.ts';
import { readFiles } from '#workers/answer/read-files.ts';

const lines = (...all: readonly string[]): string => all.join('\n');
const A = 'export const a = 1;\n';
const B = 'export const b = 2;\n';

/** Reads an answer and judges its files against the existing ones. Returns the files, or the codes of the problems. */
function read(answer: string, old: Readonly<Record<string, string>> = {}): unknown {
  const reading = readFiles(answer, null);
  if (!reading.ok) return reading.problems.map(({ code, path }) => [code, path]);
  const problems = reading.files.flatMap((file) => whyIncomplete(file, old[file.path] ?? null, false) ?? []);
  return problems.length > 0
    ? problems.map(({ code, path }) => [code, path])
    : Object.fromEntries(reading.files.map(({ path, content }) => [path, content]));
}

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['CR LF', '**src/a.ts**\r\n```ts\r\nexport const a = 1;\r\n```\r\n', { 'src/a.ts': A }],
  ['tildes', '~~~ts path=src/a.ts\nexport const a = 1;\n~~~', { 'src/a.ts': A }],
  ['a path with blanks', '```ts path="src/my file.ts"\nexport const a = 1;\n```', { 'src/my file.ts': A }],
  [
    'a nested fence with a language',
    '```md path=R.md\n# R\n```sh\nls\n```\nend\n```',
    { 'R.md': '# R\n```sh\nls\n```\nend\n' },
  ],
  ['a longer fence', '````md path=R.md\n```\nls\n```\n````', { 'R.md': '```\nls\n```\n' }],
  ['a fence of five', '`````md path=R.md\n````\n```\n````\n`````', { 'R.md': '````\n```\n````\n' }],
  [
    'a docstring with a fence',
    '```py path=a.py\ndef f():\n    """\n    ```\n    f()\n    ```\n    """\n```',
    { 'a.py': 'def f():\n    """\n    ```\n    f()\n    ```\n    """\n' },
  ],
  ['an empty file', '```py path=a/__init__.py\n```', { 'a/__init__.py': '' }],
  ['a fence in a list', '1. `src/a.ts`:\n   ```ts\n   export const a = 1;\n   ```', { 'src/a.ts': A }],
  ['the signal inside', '```ts path=src/a.ts\nexport const a = 1;\nSIGNAL:SUCCESS\n```', { 'src/a.ts': A }],
  ['a tag', '<file path="src/a.ts">\nexport const a = 1;\n</file>', { 'src/a.ts': A }],
  ['a tag around a fence', '<file path="src/a.ts">\n```ts\nexport const a = 1;\n```\n</file>', { 'src/a.ts': A }],
  [
    'a tool call',
    '<write_to_file>\n<path>src/a.ts</path>\n<content>\nexport const a = 1;\n</content>\n</write_to_file>',
    { 'src/a.ts': A },
  ],
  ['entities in HTML', '<file path="a.html">\n<p>1 &lt; 2</p>\n</file>', { 'a.html': '<p>1 &lt; 2</p>\n' }],
  ['JSON', '{"files":[{"path":"src/a.ts","content":"export const a = 1;\\n"}]}', { 'src/a.ts': A }],
  [
    'JSON in a fence',
    'Here:\n```json\n[{"path":"src/a.ts","content":"export const a = 1;"}]\n```\nSIGNAL:SUCCESS',
    { 'src/a.ts': A },
  ],
  ['JSON with an action', '[{"path":"src/a.ts","action":"create","content":"export const a = 1;"}]', { 'src/a.ts': A }],
  [
    'a diff of a new file',
    '```diff\n--- /dev/null\n+++ b/src/a.ts\n@@ -0,0 +1 @@\n+export const a = 1;\n```',
    { 'src/a.ts': A },
  ],
  [
    'an added file of a patch',
    '*** Begin Patch\n*** Add File: src/a.ts\n+export const a = 1;\n*** End Patch',
    { 'src/a.ts': A },
  ],
  [
    'a search for nothing',
    'src/a.ts\n```\n<<<<<<< SEARCH\n=======\nexport const a = 1;\n>>>>>>> REPLACE\n```',
    { 'src/a.ts': A },
  ],
  [
    'the same file twice',
    '```ts path=src/a.ts\nexport const a = 1;\n```\n```ts path=src/a.ts\nexport const a = 1;\n```',
    { 'src/a.ts': A },
  ],
  ['numbers in a list', '```md path=a.md\n1. a\n2. b\n```', { 'a.md': '1. a\n2. b\n' }],
  [
    'a comment with a path in canonical form',
    '```ts path=src/a.ts\nexport const a = 1;\n\n// src/b.ts\n```',
    { 'src/a.ts': `${A}\n// src/b.ts\n` },
  ],
  [
    'a diff for the reader, and the file',
    'Here is what changes in `src/a.ts`:\n```diff\n@@ -1 +1 @@\n-x\n+y\n```\n`src/a.ts`:\n```ts\nexport const a = 1;\n```',
    { 'src/a.ts': A },
  ],
])('%s is read', (_what, answer, files) => {
  expect(read(answer)).toEqual(files);
});

const TWO = ['export const a = 1;', '', '// src/b.ts', 'export const b = 2;'];

test.each<[string, string, readonly (readonly [string, string])[]]>([
  ['no end', '```ts path=src/a.ts\nexport const a = 1;', [['truncated', '']]],
  ['a second opening fence', '```ts path=src/a.ts\nx\n\n```ts path=src/b.ts\ny\n```', [['truncated', '']]],
  ['bare fences in Markdown', '```md path=R.md\n# R\n```\nls\n```\nend\n```', [['ambiguous_fences', '']]],
  ['two files in a fence', lines('```ts', '// src/a.ts', ...TWO, '```'), [['ambiguous', 'src/a.ts']]],
  ['two files below a heading', lines('**src/a.ts**', '```ts', ...TWO, '```'), [['ambiguous', 'src/a.ts']]],
  [
    'two files in canonical form',
    lines('```ts path=src/a.ts', '// src/a.ts', ...TWO, '```'),
    [['ambiguous', 'src/a.ts']],
  ],
  ['two Python files', '```python\n# src/a.py\na = 1\n\n# src/b.py\nb = 2\n```', [['ambiguous', 'src/a.py']]],
  ['two labelled files', '```ts\n// File: src/a.ts\nx;\n\n// File: src/b.ts\ny;\n```', [['ambiguous', 'src/a.ts']]],
  ['line numbers and bars', '```ts path=src/a.ts\n1 | a\n2 | b\n```', [['framed', 'src/a.ts']]],
  ['line numbers and colons', '```ts path=src/a.ts\n1: a\n2:\n3: b\n```', [['framed', 'src/a.ts']]],
  ['line numbers and tabs', '```ts path=src/a.ts\n  1\ta\n  2\tb\n```', [['framed', 'src/a.ts']]],
  ['line numbers and arrows', '```ts path=src/a.ts\n     9→a\n    10→b\n```', [['framed', 'src/a.ts']]],
  ['plus signs', '```ts path=src/a.ts\n+const a = 1;\n+const b = 2;\n```', [['framed', 'src/a.ts']]],
  ['entities', '<file path="src/a.ts">\nif (a &lt; b &amp;&amp; c) d();\n</file>', [['framed', 'src/a.ts']]],
  [
    'a listing between rules',
    lines('================', 'File: src/a.ts', '================', A, '```ts path=src/b.ts', 'x', '```'),
    [['ambiguous', 'src/a.ts']],
  ],
  ['a listing alone', lines('=== src/a.ts ===', A), [['ambiguous', 'src/a.ts']]],
  [
    'a diff of an old file, without a/ and b/',
    '```diff\n--- src/a.ts\n+++ src/a.ts\n@@ -1 +1 @@\n-x\n+y\n```',
    [['edit_format', 'src/a.ts']],
  ],
  [
    'a search in an old file',
    'src/a.ts\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```',
    [['edit_format', 'src/a.ts']],
  ],
  [
    'an update of a patch',
    '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** End Patch',
    [['edit_format', 'src/a.ts']],
  ],
  ['JSON that deletes', '[{"path":"src/a.ts","action":"delete","content":""}]', [['no_files', '']]],
  ['JSON with old text', '[{"path":"src/a.ts","old":"x","content":"y"}]', [['no_files', '']]],
  [
    'JSON that a sentence shows',
    'The API answers with:\n```json\n[{"path":"src/a.ts","content":"x"}]\n```',
    [['no_files', '']],
  ],
  ['a text that begins in the middle', '```ts path=src/a.ts\n  return 1;\n}\n```', [['excerpt', 'src/a.ts']]],
  ['code without a fence', 'export const a = 1;\n', [['no_files', '']]],
])('%s is refused', (_what, answer, problems) => {
  expect(read(answer)).toEqual(problems);
});

test('a sentence between heading and block is enough for a new file, and for an old one only with both of its ends', () => {
  const text = lines('first();', 'second();', 'third();', 'last();', '');
  const answer = (body: string): string => `### \`src/a.ts\`\n\nThe steps in order.\n\n\`\`\`ts\n${body}\`\`\``;
  expect(read(answer(B))).toEqual({ 'src/a.ts': B });
  expect(read(answer(text.replace('second', 'other')), { 'src/a.ts': text })).toHaveProperty(['src/a.ts']);
  expect(read(answer('second();\nthird();\n'), { 'src/a.ts': text })).toEqual([['excerpt', 'src/a.ts']]);
});

test('data of the answer is no block of it, and lists the files if it is a list of files', () => {
  const data = { summary: 'done' };
  const answer = `\`\`\`ts path=src/a.ts\n${A}\`\`\`\n\`\`\`json\n${JSON.stringify(data, null, 2)}\n\`\`\``;
  expect(readFiles(answer, null)).toMatchObject({ ok: false });
  expect(readFiles(answer, null, JSON.stringify(data))).toMatchObject({ ok: true, files: [{ path: 'src/a.ts' }] });
  const files = JSON.stringify({ files: [{ path: 'src/b.ts', content: B }] });
  expect(readFiles('Done.', null, files)).toMatchObject({ ok: true, files: [{ path: 'src/b.ts', content: B }] });
});

test('what the answer names and does not write is told', () => {
  const answer = `Delete \`src/old.ts\`.\n\n### Usage\n\`\`\`ts\nf();\n\`\`\`\n\n**src/a.ts**\n\`\`\`ts\n${A}\`\`\``;
  expect(readFiles(answer, null)).toMatchObject({
    ok: true,
    files: [{ path: 'src/a.ts' }],
    leftOut: [{ language: 'ts', first: 'f();' }],
    named: ['src/old.ts'],
  });
});

test('every code of the writers is documented, and no other', () => {
  const text = readFileSync(new URL('../../../../schemas/errors.md', import.meta.url), 'utf8');
  const section = text.split('# Writer codes')[1]?.split('\n# ')[0] ?? '';
  const codes = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code ?? '');
  expect(codes.toSorted()).toEqual([...WRITE_CODES].toSorted());
});
