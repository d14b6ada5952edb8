import type { ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cruiseTree, ruleNames } from './cruise.ts';
import { PLANTED_IMPORTS } from './planted-imports.ts';
import { FOLDERS, makeTree, removeTree, SKELETON_SIZE } from './skeleton.ts';

const LIBRARY = 'src/index.ts';

const planted = PLANTED_IMPORTS.map((crime, index) => ({ ...crime, file: `${crime.at}/planted-${index}.ts` }));
const files: Record<string, string> = { [LIBRARY]: `export * from '#machines/run/chart.ts';` };
for (const { at, file, code, beside } of planted) {
  files[file] = code;
  const name = `./${file.slice(at.length + 1)}`;
  for (const [path, text] of Object.entries(beside ?? {})) files[`${at}/${path}`] = text.replace('{planted}', name);
}

let tree: string;
let result: ICruiseResult;

beforeAll(async () => {
  tree = makeTree(files);
  result = await cruiseTree(tree, FOLDERS);
});
afterAll(() => removeTree(tree));

const rulesNamed = (file: string) =>
  result.summary.violations.filter(({ from }) => from === file).map(({ rule }) => rule.name);

test('the skeleton itself breaks no rule, and is seen whole', async () => {
  const clean = makeTree();
  const { summary, modules } = await cruiseTree(clean, FOLDERS);
  removeTree(clean);
  expect(summary.violations).toEqual([]);
  expect(modules.filter(({ source }) => /^(src|bin|webview-ui|test|scripts|demo)\//.test(source))).toHaveLength(
    SKELETON_SIZE,
  );
});

test.each(planted)('$rule: $at $code', ({ rule, file, beside }) => {
  // A cycle is reported only once, for the first of its files.
  const folder = file.replace(/\/[^/]+$/, '');
  // A cycle of folders is reported for its folders.
  const suspects = [file, folder, ...Object.keys(beside ?? {}).map((path) => `${folder}/${path}`)];
  expect(suspects.flatMap(rulesNamed)).toContain(rule);
});

test('library-opens-doors-only: src/index.ts', () => {
  expect(rulesNamed(LIBRARY)).toContain('library-opens-doors-only');
});

test('every rule has a planted violation', async () => {
  const proven = new Set([...PLANTED_IMPORTS.map(({ rule }) => rule), 'library-opens-doors-only']);
  expect((await ruleNames()).filter((name) => !proven.has(name))).toEqual([]);
});
