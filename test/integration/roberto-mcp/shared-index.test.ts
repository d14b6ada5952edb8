import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cachePlace } from '../../../src/roberto-mcp/store/cache-place.ts';
import { type Analysis, makeScene, openAnalysis, type Scene } from './analysis.ts';

let scene: Scene;
const opened: Analysis[] = [];
const open = (root: string): Analysis => {
  const analysis = openAnalysis(root, scene.cache);
  opened.push(analysis);
  return analysis;
};

const body = (index: number): string =>
  Array.from(
    { length: 20 },
    (_, line) => `export function f${index}_${line}(value: number) { return helper${index % 7}(value, ${line}); }`,
  ).join('\n');

beforeEach(() => {
  scene = makeScene(
    Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`src/n${index}.ts`, `${body(index)}\n`])),
  );
});
afterEach(() => {
  for (const analysis of opened.splice(0)) analysis.close();
  scene.remove();
});

test('a second worktree parses nothing that it has in common with the first, and each answers for itself', async () => {
  const second = join(scene.folder, 'second');
  scene.git('worktree', 'add', '--quiet', '-b', 'side', second);
  const one = open(scene.root);
  await one.ask('index_code');
  const before = one.worktree.status();
  expect(before.storedResults).toBe(300);

  const two = open(second);
  await two.ask('index_code');
  expect(two.worktree.status()).toMatchObject({ files: 300, storedResults: 300, database: before.database });

  scene.write('../second/src/n0.ts', 'export const onlyHere = 1;\n');
  expect(await two.ask('find_symbol', { query: 'onlyHere' })).toMatchObject({ symbols: [{ file: 'src/n0.ts' }] });
  expect(await two.ask('get_symbol_references', { name: 'f0_0' })).toMatchObject({ total_definitions: 0 });
  expect(await one.ask('find_symbol', { query: 'onlyHere' })).toMatchObject({ symbols: [] });
  expect(await one.ask('get_symbol_references', { name: 'f0_0' })).toMatchObject({ total_definitions: 1 });
  expect(await one.ask('code_search', { query: 'onlyHere' })).toMatchObject({ hits: [] });
  expect(two.worktree.status().storedResults).toBe(301);
});

test('the list of files of a second worktree is at most one hundredth of the index', async () => {
  const second = join(scene.folder, 'second');
  scene.git('worktree', 'add', '--quiet', '-b', 'side', second);
  const one = open(scene.root);
  await one.ask('index_code');
  const index = one.worktree.status().cacheBytes;
  const two = openAnalysis(second, scene.cache);
  await two.ask('index_code');
  two.close();
  const place = cachePlace(scene.cache, second);
  expect(place.database).toBe(cachePlace(scene.cache, scene.root).database);
  expect(statSync(place.overlay).size / index).toBeLessThan(0.01);
});

test('a warm start parses nothing', async () => {
  const first = openAnalysis(scene.root, scene.cache);
  await first.ask('index_code');
  first.close();
  const again = open(scene.root);
  await again.worktree.freshen();
  expect(again.worktree.status()).toMatchObject({ files: 300, storedResults: 300 });
  expect(again.worktree.status().progress.total).toBeLessThan(300);
  expect(await again.ask('get_symbol_references', { name: 'helper3', max_results: 1 })).toMatchObject({
    total_references: 43 * 20,
  });
});

test('results that no worktree uses are removed when the last server ends', async () => {
  const first = openAnalysis(scene.root, scene.cache);
  await first.ask('index_code');
  for (let index = 0; index < 300; index += 1) scene.write(`src/n${index}.ts`, `export const later${index} = 1;\n`);
  await first.ask('index_code');
  expect(first.worktree.status().storedResults).toBe(600);
  first.close();
  const again = open(scene.root);
  expect(await again.ask('code_search', { query: 'helper' })).toMatchObject({ hits: [] });
  expect(await again.ask('code_search', { query: 'later7', max_results: 1 })).toMatchObject({
    hits: [{ file: 'src/n7.ts' }],
  });
  expect(again.worktree.status().storedResults).toBe(300);
});
