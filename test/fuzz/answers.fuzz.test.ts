import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realPorts } from '#engine/index.ts';
import { readDocument } from '#workers/answer/read-document.ts';
import { readFiles } from '#workers/answer/read-files.ts';
import { saysThen } from '../support/says-then.ts';
import { newFolder, removeFolder } from '../support/in-folder.ts';

const RUNS = Number(process.env['ROBOSMITH_FUZZ_RUNS'] ?? 500);
/** Number of test cases for each property that writes real files. */
const WRITES = Math.ceil(RUNS / 5);

/** Lines from which well-formed and malformed answers are composed. */
const LINE = fc.oneof(
  fc.constantFrom(
    ...['```', '```ts', '```ts src/a.ts', '```md README.md', '````', '````md src/b.md', '~~~', '~~~ts src/c.ts'],
    ...[
      '   ```',
      '  ```sh',
      '``` src/../../x.ts',
      '```ts ../x.ts',
      '```sh .git/hooks/pre-commit',
      '```json',
      '```diff',
    ],
    ...['<file path="src/d.ts">', '</file>', '<path>src/e.ts</path>', '<content>', '</content>', '<think>', '</think>'],
    ...['*** Begin Patch', '*** Add File: src/f.ts', '*** Update File: src/a.ts', '*** End Patch', '+added', '-gone'],
    ...['<<<<<<< SEARCH', '=======', '>>>>>>> REPLACE', '--- /dev/null', '+++ b/src/g.ts', '@@ -0,0 +1,1 @@'],
    ...[
      'diff --git a/x b/x',
      '=== src/h.ts ===',
      'FILE: src/i.ts',
      '### `src/j.ts`',
      '**src/k.ts**',
      'File: /etc/passwd',
    ],
    ...[
      '// src/l.ts',
      '# Title',
      '---',
      '',
      'SIGNAL:SUCCESS',
      'Here is `src/m.ts`:',
      '{"files":[{"path":"src/n.ts"',
      '}',
    ],
    ...[
      '// ... rest of the code unchanged',
      'const a = 1;',
      '\u0000',
      '\ufeff',
      '\r',
      '<![CDATA[',
      ']]>',
      'Title',
      '=====',
    ],
  ),
  fc.string({ maxLength: 30 }),
);

const ANSWER = fc.array(LINE, { maxLength: 40 }).map((lines) => lines.join('\n'));
const FALLBACK = fc.constantFrom(null, 'src/a.ts', 'src/b.md', '../x');

describe('any answer', () => {
  test('is read, or refused with a reason; and no line of a file is made up', () => {
    fc.assert(
      fc.property(ANSWER, FALLBACK, (answer, fallback) => {
        const said = new Set(answer.split('\n').flatMap((line) => [line.trim(), line.slice(1).trim()]));
        for (const read of [readFiles, readDocument]) {
          const reading = read(answer, fallback);
          if (!reading.ok) expect(reading.problems.every(({ reason }) => reason !== '')).toBe(true);
          else
            for (const { content } of reading.files)
              for (const line of content.split('\n'))
                expect([...said].some((one) => one === line.trim() || one.includes(line.trim()))).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('with a file in a fence that is longer than all fences in it brings exactly this file', () => {
    const content = fc.array(
      LINE.filter((line) => !/[\n\r]|SIGNAL:|\ufeff/.test(line)),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(content, fc.constantFrom('md', 'txt', ''), (lines, language) => {
        const text = ['# First', 'Second', ...lines, 'the end'].join('\n');
        const reading = readFiles(`Here:\n\n\`\`\`\`\`${language} path=src/a.md\n${text}\n\`\`\`\`\`\nBye.`, null);
        expect(reading).toMatchObject({ ok: true, files: [{ path: 'src/a.md', content: `${text}\n` }] });
      }),
      { numRuns: RUNS },
    );
  });
});

/** Lines of file content, including some that other formats use as end marks. */
const MEANT = fc.oneof(
  fc.constantFrom(
    ...['end', 'End', 'END;', 'EOF', 'end of file', 'eof', '  end', '</file>', '<file>', '<file>b</file>', '<file'],
    ...['</content>', '<content>', '--- end ---', 'SIGNAL:A', '', '}', 'const s = "</file>";', '<file/>', 'x </file>'],
  ),
  LINE.filter((line) => !/[\n\r\ufeff]|path|===|FILE:|File:/.test(line)),
);

describe('a file without a fence', () => {
  test.each<[string, string, string]>([
    ['between tags', '<file path="src/a.rb">\n', '\n</file>\n'],
    ['between tags, with talk', 'Here:\n<file path="src/a.rb">\n', '\n</file>\nBye.\n'],
  ])('%s keeps every line, or is refused', (_where, head, end) => {
    let kept = 0;
    fc.assert(
      fc.property(fc.array(MEANT, { maxLength: 8 }), (lines) => {
        const text = ['first = 1', ...lines, 'last = 1'].join('\n');
        const reading = readFiles(`${head}${text}${end}`, null);
        if (!reading.ok) return;
        // The content may itself look like a file block. The remaining lines then belong to that other file.
        const brought = reading.files.map(({ content }) => content).join('');
        const missing = text.split('\n').filter((line) => !brought.includes(line.trim()));
        expect([missing, text]).toEqual([[], text]);
        if (brought === `${text}\n`) kept += 1;
      }),
      { numRuns: RUNS },
    );
    expect(kept).toBeGreaterThan(0);
  });
});

const WRITE = {
  name: 'Write',
  worker: 'Internal:FileSystemWriter',
  block: { access: { mode: 'partial', paths: ['src/**'] }, params: { rewrite: true } },
};

/** Files in closed fences, with paths inside and outside of `access`, and text between them. */
const FILES = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.nat(9).map((number) => `src/${number}.ts`),
        fc.constantFrom('src/b/c.ts', 'src/d.md', 'src/../src/e.ts', './src/f.ts'),
        fc.constantFrom(
          ...['README.md', '../x.ts', 'src/../../x.ts', '.git/hooks/pre-commit', '/etc/passwd', 'src', 'src/d.md/b.ts'],
        ),
      ),
      fc.array(
        LINE.filter((line) => !/[`~\n\r\ufeff]/.test(line)),
        { maxLength: 5 },
      ),
      fc.array(LINE, { maxLength: 1 }),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((files) =>
    files
      .flatMap(([name, lines, talk]) => [`\`\`\`\`\`ts ${name}`, 'first', ...lines, 'last', '`````', ...talk])
      .join('\n'),
  );

describe('what is written', () => {
  let base = '';
  beforeAll(async () => {
    base = await newFolder();
  });
  afterAll(() => removeFolder(base));

  test('is inside of access, all or nothing', async () => {
    const folder = path.join(base, 'project');
    const outside = path.join(base, 'x.ts');
    await writeFile(outside, 'outside');
    let written = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(ANSWER, FILES, FILES), async (answer) => {
        await rm(folder, { recursive: true, force: true });
        await mkdir(path.join(folder, '.git/hooks'), { recursive: true });
        const append = [{ type: 'CODE_OUTPUT', content: answer }];
        const response = await saysThen({ append, ...WRITE }, { ports: realPorts(folder) });
        const entries = await readdir(folder, { recursive: true, withFileTypes: true });
        const files = entries
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => path.join(parentPath, name));
        const inside = files.map((file) => path.relative(folder, file).replaceAll('\\', '/'));
        expect(inside.every((name) => name.startsWith('src/'))).toBe(true);
        const succeeded = response.path.at(-1)?.signal === 'SIGNAL:SUCCESS';
        expect(inside.length > 0).toBe(succeeded);
        if (succeeded) written += 1;
        else refused += 1;
        expect(await readFile(outside, 'utf8')).toBe('outside');
      }),
      { numRuns: WRITES },
    );
    expect(Math.min(written, refused)).toBeGreaterThan(0);
  });
});

/** Size of the answers in bytes. An algorithm with quadratic time would take hours on them. */
const SIZE = Number(process.env['ROBOSMITH_ANSWER_BYTES'] ?? 256 * 1024);
const filled = (unit: string): string => unit.repeat(Math.ceil(SIZE / unit.length));

describe('a big answer of', () => {
  test.each<[string, string]>([
    ['fences', '```\n'],
    ['fences with a language', '```ts\n'],
    ['files', '```ts src/a.ts\nx\n```\n'],
    ['Markdown', '```md\n# T\n```\n'],
    ['Markdown files', '```md a.md\n# T\n```\n'],
    ['Markdown that never ends', '```md a.md\n```ts\n'],
    ['fences of every length', Array.from({ length: 300 }, (_, index) => `${'`'.repeat(index + 3)}md a.md\n`).join('')],
    ['indented fences', Array.from({ length: 300 }, (_, index) => `${' '.repeat(index)}\`\`\`md\n`).join('')],
    ['open tags', '<file path="a">\n'],
    ['tags', '<file path="a">\nx\n</file>\n'],
    ['paths in tags', '<path>a</path>\n'],
    ['searches', '<<<<<<< SEARCH\n'],
    ['edits', 'a.ts\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n'],
    ['diffs', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'],
    ['new files in diffs', '--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n'],
    ['patches', '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n'],
    ['listings', '=== a.ts ===\nx\n'],
    ['headings', '### `a.ts`\n'],
    ['rules', '---\n'],
    ['front matter', '---\na: b\n'],
    ['brackets', '['],
    ['backticks', '`'],
    ['blanks', ' '],
    ['tabs and a fence', '\t\t\t```\n'],
    ['stars', '*'],
    ['dots', '// ...\n'],
    ['one line', 'a.ts '],
    ['thinking', '<think>'],
  ])(
    '%s',
    (_of, unit) => {
      for (const read of [readFiles, readDocument])
        for (const text of [filled(unit), `\`\`\`md path=a.md\n${filled(unit)}\n\`\`\``])
          expect(typeof read(text, 'a.ts').ok).toBe('boolean');
    },
    60_000,
  );
});
