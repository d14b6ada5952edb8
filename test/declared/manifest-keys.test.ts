import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkOutcome } from '../conformance/workflows/check-outcome.ts';
import type { ConformanceCase } from '../conformance/workflows/conformance-case.ts';
import { loadCases } from '../conformance/workflows/load-cases.ts';
import { runOnEngine } from '../conformance/workflows/run-on-engine.ts';
import { ELSEWHERE, NO_EFFECT } from './manifest-keys.ts';
import { type KeyPlace, placesIn, schemaKeys, without } from './schema-keys.ts';

const KEYS = schemaKeys();
const isElsewhere = (key: string): boolean => Object.hasOwn(ELSEWHERE, key) || Object.hasOwn(NO_EFFECT, key);

/** The cases of the conformance kit whose manifest is valid and has no expected diagnostics. */
const CASES = loadCases().flatMap(({ case: one }) =>
  one.manifest === undefined || one.expect.reason === 'invalid_graph' || one.expect.diagnostics !== undefined
    ? []
    : [one],
);

interface Use {
  readonly case: ConformanceCase;
  readonly path: KeyPlace['path'];
}

const uses = new Map<string, Use[]>();
for (const one of CASES)
  for (const { key, path } of placesIn(one.manifest ?? {}))
    uses.set(key, [...(uses.get(key) ?? []), { case: one, path }]);

/**
 * Returns whether the outcome of a case changes when the key is removed. A rejected manifest counts as a change only
 * for keys that every valid manifest has at that place.
 */
async function matters({ case: one, path }: Use, refusalCounts: boolean): Promise<boolean> {
  const { outcome, memories, events } = await runOnEngine({ ...one, manifest: without(one.manifest ?? {}, path) });
  if (outcome.reason === 'invalid_graph') return refusalCounts;
  try {
    checkOutcome(one.expect, outcome, memories);
    const listed = one.expect.events;
    if (listed !== undefined) expect(events.filter((event) => listed.includes(event))).toEqual(listed);
    return false;
  } catch {
    return true;
  }
}

const MOST_TRIES = 40;

describe('every key of the manifest', () => {
  test('is proved by the kit or listed with its test, and every line of the list is a key', () => {
    expect(KEYS.filter((key) => !isElsewhere(key) && !uses.has(key))).toEqual([]);
    expect([...Object.keys(ELSEWHERE), ...Object.keys(NO_EFFECT)].filter((key) => !KEYS.includes(key))).toEqual([]);
  });

  test.each(KEYS.filter((key) => !isElsewhere(key)).map((key) => [key] as const))(
    '%s changes how a case of the conformance kit ends',
    async (key) => {
      // Cases with few keys are tried first, because they concentrate on one topic.
      const tried = (uses.get(key) ?? []).slice(0, MOST_TRIES);
      for (const refusalCounts of [false, true]) for (const use of tried) if (await matters(use, refusalCounts)) return;
      expect.unreachable(`none of ${tried.length} cases with ${key} ends otherwise without it`);
    },
  );

  test.each(Object.entries(ELSEWHERE))('%s is used in %s', (key, file) => {
    expect(existsSync(file)).toBe(true);
    const name = key.slice(key.lastIndexOf('.') + 1);
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`\\b${name.replaceAll('$', '\\$')}\\b`));
  });
});
