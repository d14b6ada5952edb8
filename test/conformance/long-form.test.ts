import { describe, expect, test } from 'vitest';
import { compile, formatManifest } from '#compiler/index.ts';
import { projectOf } from './workflows/case-project.ts';
import { loadCases } from './workflows/load-cases.ts';

const SOURCE = 'workflows.json';

/** Returns a graph without the source positions of its parts, which differ between the short and the long form. */
const shapeOf = (graph: unknown): unknown =>
  JSON.parse(JSON.stringify(graph, (key, value: unknown) => (key === 'origin' ? undefined : value)));

const cases = loadCases().filter(({ theme }) => theme !== 'matrix');

describe('the long form of every manifest of the kit', () => {
  test.each(cases)('$theme/$case.id compiles to the same graph', async ({ case: one }) => {
    const { sources, options } = await projectOf(one);
    const first = compile(sources, options);
    if (first.workflow === null) return;
    const again = compile([{ path: SOURCE, text: JSON.stringify(first.resolved) }], options);
    expect(shapeOf(again.workflow?.graph)).toEqual(shapeOf(first.workflow.graph));
  });

  test('covers more than two hundred workflows', async () => {
    const compiled = await Promise.all(
      cases.map(async ({ case: one }) => {
        const { sources, options } = await projectOf(one);
        return compile(sources, options).workflow !== null;
      }),
    );
    expect(compiled.filter(Boolean).length).toBeGreaterThan(200);
  });
});

describe('formatting', () => {
  const FORMS = [
    ['spaces and tabs', '{\n\t"version":1,\n      "nodes":   {}}', '{\n  "version": 1,\n  "nodes": {} }\n'],
    ['one line stays one line', '{"a":{"b":[1,2]}}', '{ "a": { "b": [1, 2] } }\n'],
    ['comments stay', '{ // why\r\n"a":1 /* x */,\r\n}', '{ // why\n  "a": 1 /* x */,\n}\n'],
    ['a byte order mark and blanks at the end go', '\uFEFF{}   \n\n\n', '{}\n'],
  ] as const;

  test.each(FORMS)('%s', (_, text, formatted) => {
    expect(formatManifest(text)).toBe(formatted);
  });

  test.each(cases)('$theme/$case.id means the same, and is stable', ({ case: one }) => {
    const text = one.text ?? JSON.stringify(one.manifest);
    if (text.length > 1_000_000) return;
    const formatted = formatManifest(text);
    expect(formatManifest(formatted)).toBe(formatted);
    expect(formatted.replaceAll(/\s/g, '')).toBe(text.replace(/^\uFEFF/, '').replaceAll(/\s/g, ''));
  });
});
