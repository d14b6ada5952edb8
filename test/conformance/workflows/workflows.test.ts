import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import type { JsonObject } from '#protocol/json.ts';
import { interpret } from '../../reference/interpret.ts';
import type { MemoryView, RunRequest } from '../../reference/run-outcome.ts';
import { checkOutcome } from './check-outcome.ts';
import type { ConformanceCase, ExpectedDiagnostic } from './conformance-case.ts';
import { generatedCases, loadCases } from './load-cases.ts';
import { runOnEngine } from './run-on-engine.ts';

const cases = loadCases();

const composes = (manifest: JsonObject): boolean =>
  Object.values((manifest['nodes'] ?? {}) as Record<string, JsonObject>).some(
    (node) => node['extend'] !== undefined || node['mixins'] !== undefined,
  );

/**
 * Returns whether the naive interpreter can run a case. It reads only valid manifests in one file and reports no
 * diagnostics.
 */
const isForInterpreter = ({ manifest, files, expect: { reason } }: ConformanceCase): boolean =>
  manifest !== undefined &&
  files === undefined &&
  reason !== 'invalid_graph' &&
  reason !== 'invalid_input' &&
  reason !== 'usage' &&
  !composes(manifest);

const requestOf = ({ input, step_mode }: ConformanceCase): RunRequest => ({
  ...(input === undefined ? {} : { input }),
  ...(step_mode === undefined ? {} : { stepMode: step_mode }),
});

const checkDiagnostics = (wanted: readonly ExpectedDiagnostic[], found: readonly Diagnostic[]): void => {
  const shapes = found.map(({ severity, pointer, code, file }) => ({ severity, pointer, code, file }));
  if (wanted.length === 0) expect(shapes).toEqual([]);
  for (const one of wanted) expect(shapes).toContainEqual(expect.objectContaining(one));
};

test('ids are unique', () => {
  const ids = cases.map((one) => one.case.id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('every diagnostic code has a case in the kit', () => {
  const table = readFileSync(join(import.meta.dirname, '../../../schemas/diagnostics.md'), 'utf8');
  const codes = Array.from(table.matchAll(/^## (RS\d+) /gm), ([, code]) => code);
  const expected = cases
    .filter(({ theme }) => theme === 'diagnostics')
    .flatMap((one) => one.case.expect.diagnostics ?? [])
    .map(({ code }) => code);
  expect(codes.length).toBeGreaterThan(0);
  expect(codes.filter((code) => !expected.includes(code))).toEqual([]);
});

/**
 * The SHA-256 of all generated cases. The naive interpreter computes the matrix and then runs it, so without this value
 * a change of the interpreter's results would go unnoticed. After a wanted change, compare the changed cases with the
 * specification before you write the new value here.
 */
const GENERATED = '0bff25b04dda8a7d8b899d85309c173b3cd660315f77f50a338fa3b73fce4090';

test('the generated cases are those that were reviewed', () => {
  expect(createHash('sha256').update(JSON.stringify(generatedCases())).digest('hex')).toBe(GENERATED);
});

describe('naive interpreter', () => {
  test.each(cases.filter((one) => isForInterpreter(one.case)))('$theme/$case.id', ({ case: one }) => {
    const memories: MemoryView[] = [];
    const onMemory = (memory: MemoryView): void => void memories.push(memory);
    const script = JSON.parse(JSON.stringify(one.script).replaceAll('{run}', 'run')) as JsonObject;
    const outcome = interpret(one.manifest ?? {}, one.start, script, { ...requestOf(one), onMemory });
    checkOutcome(one.expect, outcome, memories);
  });
});

describe('engine', () => {
  test.each(cases)('$theme/$case.id', async ({ case: one }) => {
    const { outcome, memories, events, diagnostics } = await runOnEngine(one);
    if (one.expect.diagnostics !== undefined) checkDiagnostics(one.expect.diagnostics, diagnostics);
    checkOutcome(one.expect, outcome, memories);
    const listed = one.expect.events;
    if (listed !== undefined) expect(events.filter((event) => listed.includes(event))).toEqual(listed);
  });
});
