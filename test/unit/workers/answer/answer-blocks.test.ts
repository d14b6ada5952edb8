import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { whyIncomplete } from '#workers/answer/omission.ts';
import { readFiles } from '#workers/answer/read-files.ts';
import { verifies } from '../../../e2e/verifies.ts';

const SAMPLES = path.resolve(import.meta.dirname, '../../../samples/answer-blocks');

/** The path of the file that a block defines; null if it defines no file. */
type Verdict = string | null;

interface Sample {
  readonly name: string;
  readonly text: string;
  /** The text of each block, in order. */
  readonly blocks: readonly string[];
  /** The expected verdict for each block; null if the whole answer is rejected. */
  readonly verdicts: readonly Verdict[] | null;
}

/** Block contents by language. A number makes each content unique. */
const CONTENT: Readonly<Record<string, (n: number) => string>> = {
  py: (n) => `def value_${n}():\n    return ${n}`,
  sh: (n) => `npm install package-${n}`,
  bash: (n) => `export VALUE=${n}`,
  json: (n) => `{ "value": ${n} }`,
  yaml: (n) => `value: ${n}`,
  html: (n) => `<p>${n}</p>`,
  css: (n) => `.v${n} { color: red; }`,
  sql: (n) => `CREATE TABLE t${n} (id int);`,
  go: (n) => `package main\n\nvar Value${n} = ${n}`,
  dockerfile: (n) => `FROM node:${n}`,
  makefile: (n) => `all:\n\techo ${n}`,
  tree: (n) => `src\n├── a${n}.ts\n└── b.ts`,
  diff: (n) => `@@ -1 +1 @@\n-const value = 0;\n+const value = ${n};`,
  md: (n) => `# Title ${n}\n\n\`\`\`sh\nnpm i\n\`\`\``,
  '': (n) => `TypeError: a is not a function (${n})\n    at x`,
};

interface Written {
  readonly info: string;
  readonly content: string;
  readonly fence: string;
}

/**
 * Builds a block from a short notation. `~ts path=a.ts`: a block with this info string; `~ts+//`: a block with its file
 * name in the first line; `~~md`: a block with a longer fence.
 */
function blockOf(spec: string, n: number): Written {
  const fence = spec.startsWith('~') ? '````' : '```';
  const info = spec.replace(/^~/, '');
  if (info === 'tree-bare') return { info: '', content: CONTENT['tree']?.(n) ?? '', fence };
  if (info === 'prompt') return { info: '', content: `$ npm test\nok ${n}`, fence };
  const language = info.split(/[ :+]/)[0] ?? '';
  const content = (CONTENT[language] ?? ((k: number) => `export const value${k} = ${k};`))(n);
  return info.endsWith('+//')
    ? { info: language, content: `${language === 'py' ? '#' : '//'} src/file${n}.${language}\n${content}`, fence }
    : { info, content, fence };
}

function sampleOf(part: string): Sample {
  const [name = '', ...lines] = part.trimEnd().split('\n');
  const verdict = (lines.pop() ?? '').replace(/^@> /, '');
  const blocks: string[] = [];
  const text = lines.flatMap((line) => {
    const [, indent = '', spec] = /^( *(?:> )?)~(.*)$/.exec(line) ?? [];
    if (spec === undefined) return [line];
    const { info, content, fence } = blockOf(spec, blocks.length + 1);
    blocks.push(content);
    return [`${fence}${info}`, ...content.split('\n'), fence].map((one) => (one === '' ? one : indent + one));
  });
  const verdicts = verdict === 'refused' ? null : verdict.split(', ').map((one) => (one === '-' ? null : one));
  return { name, text: text.join('\n'), blocks, verdicts };
}

const samplesIn = (file: string): readonly Sample[] =>
  readFileSync(path.join(SAMPLES, file), 'utf8').split(/^@@ /m).slice(1).map(sampleOf);

const FILES = ['seen.txt', 'held-out.txt', 'fresh.txt'];

test('there are 350 answers, of which at least 200 are read', () => {
  const all = FILES.flatMap(samplesIn);
  expect(all.length).toBeGreaterThanOrEqual(350);
  expect(all.filter(({ verdicts }) => verdicts !== null).length).toBeGreaterThanOrEqual(200);
});

/** The text of a file that exists before the answer; its name contains "old". */
const OLD = 'first line\nlast line\n';

/** Reads an answer as the writer does: the text of each file must be complete. */
function readAndJudge(text: string): ReturnType<typeof readFiles> {
  const reading = readFiles(text, null);
  if (!reading.ok) return reading;
  const problems = reading.files.flatMap(
    (file) => whyIncomplete(file, file.path.includes('old') ? OLD : null, true) ?? [],
  );
  return problems.length > 0 ? { ok: false, problems } : reading;
}

describe.each(FILES)('%s', (file) => {
  test.each(samplesIn(file).map((sample) => [sample.name, sample] as const))('%s', (_, { text, blocks, verdicts }) => {
    verifies('workers.file-system-writer.extracts', 'workers.file-system-writer.all-or-none');
    const reading = readAndJudge(text);
    if (verdicts === null || verdicts.every((one) => one === null)) {
      expect(reading).toMatchObject({ ok: false });
      return;
    }
    const expected = verdicts.flatMap((path_, index) =>
      path_ === null ? [] : [{ path: path_, content: `${blocks[index] ?? ''}\n` }],
    );
    expect(reading).toMatchObject({ ok: true, files: expected });
    expect(reading.ok ? reading.leftOut.length : null).toBe(
      verdicts.filter((one, index) => one === null && !(blocks[index] ?? '').startsWith('@@')).length,
    );
  });
});
