import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

/** Returns the number that the code has at a place. Throws if the code looks different. */
function numberIn(file: string, pattern: RegExp): string {
  const [, found] = pattern.exec(read(file)) ?? [];
  if (found === undefined) throw new Error(`${file} has no ${String(pattern)}`);
  return found;
}

const inPackage = (pattern: RegExp): string => numberIn('package.json', pattern);
const inLint = (pattern: RegExp): string => numberIn('eslint.config.mjs', pattern);

/** The phrases with numbers that have a source in the code. */
const FROM_CODE: Readonly<Record<string, readonly string[]>> = {
  'CONTRIBUTING.md': [
    `Node ${inPackage(/"engines": \{\s*"node": ">=(\d+)"/)} or later`,
    `its own Node ${inPackage(/"node": "(\d+)[.\d]+"/)} `,
    `the command itself needs Node ${numberIn('src/cli/doctor/check-programs.ts', /LEAST_NODE = '(\d+[.]\d+)[.]0'/)}`,
    `functions of more than ${inLint(/'max-lines-per-function': \['error', \{ max: (\d+)/)} lines`,
    `more than ${inLint(/'max-lines': \['warn', \{ max: (\d+)/)} lines of code`,
    `has ${Number(numberIn('test/secrets/test-keys.ts', /sk-\[A-Za-z0-9_-\]\{(\d+),/)) + 'sk-'.length} characters or more`,
  ],
  'ARCHITECTURE.md': [`every ${numberIn('src/host/server/views/live-runs.ts', /FRAME_MS = (\d+)/)} ms at most`],
};

/** Phrases with numbers that were measured, or that a rule for people sets. */
const OTHERS = [
  ...['2 to 3 minutes', 'less than 6 minutes', '20,000 kills', '870 MB', '85 MB', 'Linux x64'],
  'at most 72 characters',
];

/** Returns the text of a document without code, addresses and the numbers of lists. */
const proseOf = (file: string): string =>
  read(file)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/^\d+\. /gm, '');

test.each(Object.entries(FROM_CODE))('the numbers of %s are those of the code', (file, phrases) => {
  const prose = proseOf(file);
  expect(phrases.filter((phrase) => !prose.includes(phrase))).toEqual([]);
  const rest = [...phrases, ...OTHERS].reduce((text, phrase) => text.replaceAll(phrase, ''), prose);
  const unknown = rest.replace(/ \(\d+ files?\) \|/g, '').split('\n');
  expect(unknown.filter((line) => /\d/.test(line))).toEqual([]);
});

/** The rows of a table that say how many files a change touches, with the files that they name first. */
const rows = [...read('CONTRIBUTING.md').matchAll(/^\| ([^|]+) \((\d+) files?\) \| (.*) \|$/gm)];

test.each(rows.map(([, what = '', count = '', files = '']) => [what, Number(count), files] as const))(
  '%s: %i files are named',
  (_what, count, files) => {
    const [first = ''] = files.split(/\. (?=[A-Z`])/);
    const named = [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => /^[\w./-]+(?:\/|[.](?:ts|md|json))$/.test(name))).toHaveLength(count);
  },
);

test('there are such rows', () => {
  expect(rows.length).toBeGreaterThan(5);
});
