import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM } from './robosmith.ts';

const BUILT = path.join(PROGRAM, '../../dist/cli');

/** Returns all files of the built program that this file imports statically, directly or indirectly. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(path.join(BUILT, file), 'utf8');
  for (const [, name = ''] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) loadedWith(name, seen);
  return seen;
}

const holds = (file: string, name: string): boolean =>
  readFileSync(path.join(BUILT, file), 'utf8').includes(`node_modules/${name}/`);

/** Loading the network client takes nearly half of a cold start. */
test.each(['validate', 'status', 'inbox', 'runs', 'sessions', 'resume'])(
  'robosmith %s loads no client of the network before it needs one',
  (command) => {
    const found = readdirSync(BUILT).find((name) => new RegExp(`^${command}-[0-9A-Z]{8}[.]js$`).test(name));
    if (found === undefined) throw new Error(`${command} is not built`);
    const loaded = [...loadedWith('main.js'), ...loadedWith(found)];
    expect(loaded.length).toBeGreaterThan(10);
    expect(loaded.filter((file) => holds(file, 'undici'))).toEqual([]);
    expect(readdirSync(BUILT).some((file) => file.endsWith('.js') && holds(file, 'undici'))).toBe(true);
  },
);
