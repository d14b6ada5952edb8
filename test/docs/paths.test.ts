import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { PAGES, ROOT, textOf } from './pages.ts';

const ALL = [...PAGES, 'test/README.md'];

/** Paths in the projects of the examples. They exist in no other place. */
const OF_EXAMPLES: readonly string[] = ['src/split-bill.js', 'test/split-bill.test.js'];

const PATH = /^(?:bench|bin|demo|docs|schemas|scripts|src|templates|test|webview-ui)\/[\w./-]+$/;
const BARE_NAME = /^[\w.-]+\.ts$/;

const codeIn = (line: string): readonly string[] => Array.from(line.matchAll(/`([^`]+)`/g), ([, text = '']) => text);

/**
 * Returns the paths of this repository that a page names in code. A bare file name after a path in the same line means a
 * file in the same folder.
 */
function pathsIn(page: string): readonly string[] {
  return textOf(page)
    .split('\n')
    .flatMap((line) => {
      const found: string[] = [];
      for (const text of codeIn(line)) {
        const last = found.at(-1);
        if (PATH.test(text)) found.push(text);
        else if (last !== undefined && BARE_NAME.test(text) && page === 'ARCHITECTURE.md')
          found.push(join(existsSync(join(ROOT, last)) ? dirname(last) : last, text));
      }
      return found;
    });
}

test.each(ALL)('%s names only files that exist', (page) => {
  const missing = pathsIn(page).filter((path) => !OF_EXAMPLES.includes(path) && !existsSync(join(ROOT, path)));
  expect(missing).toEqual([]);
});

test('the files of the examples are in no page only by mistake', () => {
  const named = new Set(ALL.flatMap(pathsIn));
  expect(named.size).toBeGreaterThan(100);
  expect(OF_EXAMPLES.filter((path) => !named.has(path) || existsSync(join(ROOT, path)))).toEqual([]);
});

test('every npm script that a page names exists', () => {
  const scripts = new Set(Object.keys(packageJson.scripts));
  const named = ALL.flatMap((page) =>
    Array.from(textOf(page).matchAll(/npm run (?:--silent )?([\w:]+)/g), ([, name = '']) => name),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !scripts.has(name))).toEqual([]);
});
