import { globSync } from 'node:fs';
import type { ICruiseResult } from 'dependency-cruiser';
import { beforeAll, expect, test } from 'vitest';
import { allowedPackages, cruiseTree, ROOT } from './cruise.ts';
import { FOLDERS } from './skeleton.ts';

let result: ICruiseResult;
beforeAll(async () => {
  result = await cruiseTree(ROOT, FOLDERS);
});

test('no rule is broken', () => {
  expect(result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
});

test('a folder uses every package that it may use', async () => {
  const allowed = await allowedPackages();
  expect(allowed.length).toBeGreaterThan(5);
  const unused = allowed.filter(({ folder, pattern }) => {
    const own = result.modules.filter(({ source }) => source.startsWith(`src/${folder}/`));
    return !own.some(({ dependencies }) => dependencies.some(({ resolved }) => new RegExp(pattern).test(resolved)));
  });
  expect(unused).toEqual([]);
});

test('no file escapes the check', () => {
  const ours = new RegExp(`^(${FOLDERS.join('|')})/`);
  const seen = result.modules
    .map(({ source }) => source)
    .filter((source) => ours.test(source) && !/[.](?:json|css)$/.test(source));
  const written = globSync(`{${FOLDERS.join(',')}}/**/*.{ts,mts,js,mjs,cjs,svelte}`, { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/^(test\/samples|demo\/sample|test\/(?:llama|agents)\/node_modules)\//.test(path));
  expect(seen.sort()).toEqual(written.sort());
  expect(seen.length).toBeGreaterThan(50);
});
