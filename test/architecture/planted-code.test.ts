import { join } from 'node:path';
import { ESLint } from 'eslint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTree, removeTree } from './skeleton.ts';

const PURE = [
  'src/protocol',
  'src/machines/run',
  'src/compiler/3-check',
  'src/workers',
  'src/layout',
  'src/language',
] as const;

const IMPURE_CODE = [
  ['no-restricted-properties', 'export const now = Date.now();'],
  ['no-restricted-syntax', 'export const now = new Date();'],
  ['no-restricted-syntax', 'export const now = Date();'],
  ['no-restricted-properties', 'export const chance = Math.random();'],
  ['no-restricted-globals', 'setTimeout(() => undefined, 1);'],
  ['no-restricted-globals', 'setInterval(() => undefined, 1);'],
  ['no-restricted-globals', 'export const page = fetch("http://localhost");'],
  ['no-restricted-globals', 'export const home = process.env;'],
  ['no-restricted-globals', 'export const id = crypto.randomUUID();'],
  ['no-restricted-globals', 'export const id = globalThis.crypto.randomUUID();'],
  ['no-restricted-globals', 'console.log("here");'],
] as const;

/** Returns the source of a function with this number of lines. */
const functionOf = (lines: number): string =>
  [
    'export function long(): number {',
    '  let sum = 0;',
    ...Array.from({ length: lines - 4 }, () => '  sum += 1;'),
    '  return sum;',
    '}',
  ].join('\n');

/** Code that the rules must reject, as [rule, folder, code]. */
const CRIMES: readonly (readonly [string, string, string])[] = [
  ...PURE.flatMap((folder) => IMPURE_CODE.map(([rule, code]) => [rule, folder, code] as const)),
  ['@typescript-eslint/no-explicit-any', 'src/io', 'export const anything: any = 1;'],
  ['no-restricted-syntax', 'src/io', 'export default 1;'],
  ['no-restricted-syntax', 'src/machines/run', 'export default 1;'],
  ['no-restricted-syntax', 'webview-ui/src', 'export default 1;'],
  ['no-restricted-syntax', 'src/io', 'const a = 1; export const one = { ...{ a } };'],
  ['no-restricted-syntax', 'src/machines/run', 'const a = 1; export const one = { ...{ a } };'],
  ['no-restricted-syntax', 'webview-ui/src', 'const a = 1; export const one = { ...{ a } };'],
  ['no-restricted-syntax', 'test/support', 'const a = 1; export const one = { ...{ a } };'],
  ['@typescript-eslint/no-floating-promises', 'src/io', 'Promise.resolve(1);'],
  [
    'no-restricted-imports',
    'webview-ui/src',
    "import type { verb } from '#machines/run/chart.ts'; export type V = typeof verb;",
  ],
  ['no-restricted-imports', 'webview-ui/src', "import type { Uri } from 'vscode'; export type U = Uri;"],
  ['no-restricted-imports', 'webview-ui/src', "import 'node:path';"],
  ['max-lines-per-function', 'src/machines/run', functionOf(101)],
  ['max-lines-per-function', 'webview-ui/src', functionOf(101)],
  ['max-lines-per-function', 'bin', functionOf(101)],
  ['max-lines-per-function', 'scripts', functionOf(101)],
  ['max-lines', 'src/io', Array.from({ length: 301 }, (_, line) => `export const line${line} = ${line};`).join('\n')],
];
/** Code that the rules must accept, as [folder, code]. */
const INNOCENT: readonly (readonly [string, string])[] = [
  ['src/machines/run', 'export const at = (ms: number): Date => new Date(ms);'],
  ['src/io', 'export const now = (): number => Date.now() + Math.random();'],
  ['webview-ui/src', "export type { Verb } from '#protocol/noun.ts';"],
  ['src/io', functionOf(100)],
  ['test/support', functionOf(101)],
];

const file = (folder: string, index: number, kind: string) => `${folder}/${kind}-${index}.ts`;

let tree: string;
let found: ReadonlyMap<string, readonly (string | null)[]>;

beforeAll(async () => {
  const crimes = CRIMES.map(([, folder, code], index) => [file(folder, index, 'crime'), code] as const);
  const innocent = INNOCENT.map(([folder, code], index) => [file(folder, index, 'innocent'), code] as const);
  const planted = Object.fromEntries([...crimes, ...innocent]);
  tree = makeTree(planted);
  const results = await new ESLint({ cwd: tree }).lintFiles(Object.keys(planted));
  found = new Map(results.map(({ filePath, messages }) => [filePath, messages.map(({ ruleId }) => ruleId)]));
});
afterAll(() => removeTree(tree));

test.each(CRIMES.map(([rule, folder, code], index) => ({ rule, folder, index, code: code.slice(0, 60) })))(
  '$rule: $folder $code',
  ({ rule, folder, index }) => {
    expect(found.get(join(tree, file(folder, index, 'crime')))).toContain(rule);
  },
);

test.each(INNOCENT.map(([folder, code], index) => ({ folder, code, index })))('allowed: $folder $code', (innocent) => {
  expect(found.get(join(tree, file(innocent.folder, innocent.index, 'innocent')))).toEqual([]);
});
