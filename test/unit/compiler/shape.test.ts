import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, type ParseError } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { loadCases } from '../../conformance/workflows/load-cases.ts';
import { verifies } from '../../e2e/verifies.ts';
import { compile } from '#compiler/index.ts';
import { sampleNames, sampleSources } from './sample-case.ts';

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schemas/workflow.schema.json'), 'utf8'),
) as object;

/** Codes of findings that the schema also finds. All other codes are about the text, names or the graph. */
const SHAPE_CODES: ReadonlySet<string> = new Set([
  'RS1009',
  'RS1010',
  'RS1011',
  'RS1012',
  'RS1013',
  'RS1014',
  'RS1015',
  'RS1016',
]);

const texts: readonly (readonly [name: string, text: string])[] = [
  ...sampleNames().flatMap((name) => {
    const [entry, ...imported] = sampleSources(name);
    return entry === undefined || imported.length > 0 ? [] : [[`sample ${name}`, entry.text] as const];
  }),
  ...loadCases().flatMap(({ case: one }) =>
    one.files === undefined ? [[`case ${one.id}`, one.text ?? JSON.stringify(one.manifest)] as const] : [],
  ),
];

/** Codes about the text itself. If there are any, the shape is not checked. */
const ABOUT_TEXT = /^RS10(?:0[1-8]|17)$/;

/** Parses a manifest. Returns null if the text itself is invalid, in which case its shape is never checked. */
function valueOf(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = text.length > 1_000_000 ? null : parse(text, errors, { allowTrailingComma: true });
  return errors.length > 0 ? null : value;
}

test('a manifest has the shape that the compiler wants exactly when the schema says so', () => {
  verifies('manifest.shape.schema-single-source');
  const fits = new Ajv({ allErrors: true, strict: false }).compile(schema);
  const verdicts = { fits: 0, refused: 0 };
  for (const [name, text] of texts) {
    const { diagnostics } = compile([{ path: 'workflows.json', text }]);
    if (diagnostics.some(({ code }) => ABOUT_TEXT.test(code))) continue;
    const value = valueOf(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const says = !diagnostics.some(({ code }) => SHAPE_CODES.has(code));
    expect([name, says]).toEqual([name, fits(value)]);
    verdicts[says ? 'fits' : 'refused'] += 1;
  }
  expect(verdicts.fits).toBeGreaterThan(200);
  expect(verdicts.refused).toBeGreaterThan(10);
});
