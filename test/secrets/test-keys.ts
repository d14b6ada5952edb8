import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** A key as tests write one: long enough to be found nowhere by chance. */
const KEY = /['"`](sk-[A-Za-z0-9_-]{16,})['"`]/g;

/** Every key that a test uses, read from the tests themselves: a new one can't be forgotten. */
export function testKeys(): readonly string[] {
  const files = globSync('**/*.ts', { cwd: TESTS, exclude: ['**/node_modules'] });
  const texts = files.map((file) => readFileSync(path.join(TESTS, file), 'utf8'));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(KEY)].flatMap(([, key]) => key ?? [])))].sort();
}
