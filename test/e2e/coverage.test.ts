import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REQUIREMENTS } from './requirements.ts';
import type { Requirement } from './requirements/section.ts';

const TESTS = join(import.meta.dirname, '..');
/** The last issue whose requirements must all be cited by tests. */
const DELIVERED = 6;

const requirements = new Map<string, Requirement>(Object.entries(REQUIREMENTS));

interface Citation {
  readonly id: string;
  readonly file: string;
}

const quoted = (text: string): readonly string[] =>
  Array.from(text.matchAll(/['"]([^'"]+)['"]/g), ([, id]) => id ?? '');

/**
 * Returns the citations in a file: `verifies('id', …)` in tests, `"requirements": ["id", …]` in cases that are data.
 */
function citationsIn(file: string): readonly Citation[] {
  const text = readFileSync(join(TESTS, file), 'utf8');
  const lists = file.endsWith('.json')
    ? text.matchAll(/"requirements"\s*:\s*\[([^\]]*)\]/g)
    : text.matchAll(/\bverifies\(([^)]*)\)|\brequirements:\s*\[([^\]]*)\]/g);
  return Array.from(lists, ([, call, list]) => quoted(call ?? list ?? '')).flatMap((ids) =>
    ids.map((id) => ({ id, file })),
  );
}

const citations = globSync(['**/*.test.ts', 'conformance/**/*.{json,ts}', 'samples/**/case.json'], {
  cwd: TESTS,
  exclude: ['**/node_modules'],
})
  .filter((file) => !file.endsWith('coverage.test.ts'))
  .flatMap(citationsIn);

test('every citation names a requirement', () => {
  const unknown = Map.groupBy(
    citations.filter(({ id }) => !requirements.has(id)),
    ({ id }) => id,
  );
  const report = Array.from(unknown, ([id, where]) => `${id}: ${where.length} times, first in ${where[0]?.file ?? ''}`);
  expect(report.join('\n'), `${unknown.size} ids that are not in the table`).toBe('');
});

test('every delivered requirement is cited by a test', () => {
  const cited = new Set(citations.map(({ id }) => id));
  const uncited = [...requirements].filter(
    ([id, { issue }]) => issue !== 'later' && issue <= DELIVERED && !cited.has(id),
  );
  const byTopic = Map.groupBy(uncited, ([, { topic }]) => topic);
  const report = Array.from(
    byTopic,
    ([topic, rows]) => `${topic}\n${rows.map(([id, { text }]) => `  ${id}: ${text}`).join('\n')}`,
  );
  expect(report.join('\n'), `${uncited.length} requirements that no test cites`).toBe('');
});

test('ids are dotted kebab-case, and no two parts of the table share one', () => {
  const parts = globSync('e2e/requirements/*.ts', { cwd: TESTS }).map((file) =>
    readFileSync(join(TESTS, file), 'utf8'),
  );
  const written = parts.flatMap((text) => Array.from(text.matchAll(/^ {2,4}'([^']+)':/gm), ([, id]) => id));
  expect(written.filter((id) => !/^[a-z0-9-]+([.][a-z0-9-]+)+$/.test(id ?? ''))).toEqual([]);
  expect(written.sort()).toEqual([...requirements.keys()].sort());
});

test('the table has every numbered rule of the run semantics', () => {
  const record = readFileSync(join(TESTS, '../docs/decisions/2026-11-21-run-semantics.md'), 'utf8');
  const rules = Array.from(record.matchAll(/^(\d+)[.] /gm), ([, number]) => `decisions.run-semantics.${number}`);
  expect([...requirements.keys()].filter((id) => id.startsWith('decisions.run-semantics.'))).toEqual(rules);
});
