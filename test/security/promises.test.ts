import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Returns the cells of each row of the table of promises in SECURITY.md. */
function promises(): readonly (readonly string[])[] {
  const text = readFileSync('SECURITY.md', 'utf8');
  const section = /^## What is promised$([^]*?)^## /m.exec(text)?.[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) => row.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')));
}

const testsIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);

test('each promise of SECURITY.md names the tests that fail without it', () => {
  const rows = promises();
  expect(rows.length).toBeGreaterThan(30);
  for (const [, promise, tests = ''] of rows)
    expect([promise, testsIn(tests)]).toEqual([promise, expect.arrayContaining([expect.any(String)])]);
});

test('each test that SECURITY.md names exists, and each test of this folder is named', () => {
  const named = promises().flatMap(([, , tests = '']) => testsIn(tests));
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
  const here = readdirSync('test/security').filter((file) => file !== 'promises.test.ts');
  expect(here.map((file) => `test/security/${file}`).filter((file) => !named.includes(file))).toEqual([]);
});
