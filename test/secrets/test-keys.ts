import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** Matches a key in the source of a test. Keys are so long that they never occur by chance. */
const KEY = /['"`](sk-[A-Za-z0-9_-]{16,})['"`]/g;

/** Returns every key that occurs in the sources of the tests, so that none can be forgotten. */
export function testKeys(): readonly string[] {
  const files = globSync('**/*.ts', { cwd: TESTS, exclude: ['**/node_modules'] });
  const texts = files.map((file) => readFileSync(path.join(TESTS, file), 'utf8'));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(KEY)].flatMap(([, key]) => key ?? [])))].sort();
}
