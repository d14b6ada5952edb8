import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unmatchedPatterns } from '#io/files/unmatched-patterns.ts';

let root = '';
let outside = '';
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-patterns-')));
  outside = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-outside-')));
  await mkdir(path.join(root, 'src/deep'), { recursive: true });
  await mkdir(path.join(root, 'node_modules/dep'), { recursive: true });
  for (const name of ['src/a.ts', 'src/deep/b.ts', 'node_modules/dep/index.js'])
    await writeFile(path.join(root, name), '');
  await writeFile(path.join(outside, 'secret.ts'), '');
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
  await rm(outside, { recursive: true, force: true });
});

const unmatched = async (...patterns: readonly string[]): Promise<readonly string[]> => [
  ...(await unmatchedPatterns(root, patterns)),
];

test('paths and globs that name a file are found', async () => {
  expect(await unmatched('src/a.ts', './src/a.ts', 'src/*.ts', '**/b.ts', '{lib,src}/a.*', 's[r]c/a.ts')).toEqual([]);
});

test('a file whose own name has brackets is found by that name', async () => {
  await mkdir(path.join(root, 'app/[id]'), { recursive: true });
  await writeFile(path.join(root, 'app/[id]/page.tsx'), '');
  await symlink(path.join(outside, 'secret.ts'), path.join(root, 'app/[id]/link.ts'));
  expect(await unmatched('app/[id]/page.tsx', './app/[id]/page.tsx', 'app/[id]/link.ts', 'app/[id]')).toEqual([
    'app/[id]/link.ts',
    'app/[id]',
  ]);
});

test('others are told, folders included', async () => {
  const missing = ['src/none.ts', 'src', 'src/*.js', 'lib/**', 'src/a.ts/x', 'none/[a-z].ts'];
  expect(await unmatched('src/a.ts', ...missing)).toEqual(missing);
});

test('heavy folders are walked only when a pattern names them', async () => {
  expect(await unmatched('**/index.js', 'node_modules/*/index.js')).toEqual(['**/index.js']);
});

test('nothing outside is looked at, by path or by link', async () => {
  const ways = ['../*.ts', '/etc/passwd', `../${path.basename(outside)}/secret.ts`, 'C:/x', 'a\0b'];
  expect(new Set(await unmatched(...ways))).toEqual(new Set(ways));
});

test.skipIf(process.platform === 'win32')('links count when they stay inside', async () => {
  await symlink(outside, path.join(root, 'out'));
  await symlink(path.join(root, 'src'), path.join(root, 'in'));
  const leaving = ['out/secret.ts', 'out/*.ts', '*/secret.ts', '{src,out}/secret.ts'];
  expect(new Set(await unmatched(...leaving, 'in/a.ts', 'in/*.ts'))).toEqual(new Set(leaving));
});

test('a project that is too large to be walked is not blamed', async () => {
  expect([...(await unmatchedPatterns(root, ['**/*.none'], 2))]).toEqual([]);
  expect([...(await unmatchedPatterns(root, ['**/*.none'], 100))]).toEqual(['**/*.none']);
});

test.each([
  '{0..99999}/{0..99999}.none',
  '{a,b}{a,b}{a,b}{a,b}{a,b}.none',
  `src/${'*a'.repeat(20)}.none`,
  '**/**/**/**/*.none',
  '+(+(a)|b)/*.none',
])('a glob that could take long is not tried: %s', async (pattern) => {
  await writeFile(path.join(root, 'src', 'a'.repeat(200)), '');
  expect(await unmatched(pattern)).toEqual([]);
});
