import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compile, type CompileOptions, formatManifest, translateManifest } from '#compiler/index.ts';
import type { ManifestSource } from '#protocol/compiled.ts';
import { compileSample, sampleNames, sampleOptions, sampleSources } from '../unit/compiler/sample-case.ts';
import { projectOf } from './workflows/case-project.ts';
import { loadCases } from './workflows/load-cases.ts';

type Sources = readonly ManifestSource[];

/** Returns a graph without the source positions of its parts. */
const shapeOf = (graph: unknown): unknown =>
  JSON.parse(
    JSON.stringify(graph ?? null, (key, value: unknown) =>
      key === 'origin' || key === 'x-origin' ? undefined : value,
    ),
  );

const graphOf = (sources: Sources, options: CompileOptions): unknown => {
  const { workflow, diagnostics } = compile(sources, options);
  return workflow === null ? diagnostics : shapeOf(workflow.graph);
};

const formatted = (sources: Sources): Sources =>
  sources.map(({ path, text }) => ({ path, text: formatManifest(text) }));

/** Checks that both forms of a manifest mean the same, that each is stable, and that comments stay. */
function expectEqualForms(sources: Sources, options: CompileOptions): void {
  const graph = graphOf(sources, options);
  const [short, long] = (['short', 'long'] as const).map((form) =>
    formatted(translateManifest(sources, form, options)),
  );
  if (short === undefined || long === undefined) return;
  expect(graphOf(short, options)).toEqual(graph);
  expect(graphOf(long, options)).toEqual(graph);
  const [back, forth] = [translateManifest(long, 'short', options), translateManifest(short, 'long', options)];
  expect(graphOf(back, options)).toEqual(graph);
  expect(graphOf(forth, options)).toEqual(graph);
  expect(formatted(translateManifest(short, 'short', options))).toEqual(short);
  expect(formatted(translateManifest(long, 'long', options))).toEqual(long);
  expect([short, long].map(commentsIn)).toEqual([commentsIn(sources), commentsIn(sources)]);
}

const commentsIn = (sources: Sources): readonly (readonly string[])[] =>
  sources.map(({ text }) => text.match(/(?<=^|[\s,{}[\]])\/\/.*$/gm) ?? []);

const cases = loadCases().filter(({ theme }) => theme !== 'matrix');

describe('the short and the long form mean the same', () => {
  test.each(cases)('$theme/$case.id', async ({ case: one }) => {
    const { sources, options } = await projectOf(one);
    if (compile(sources, options).workflow !== null) expectEqualForms(sources, options);
  });

  test.each(sampleNames())('sample %s', (name) => {
    const { compilation } = compileSample(name);
    if (compilation.workflow !== null) expectEqualForms(sampleSources(name), sampleOptions(name));
  });

  const TEMPLATES = new URL('../../templates/', import.meta.url);
  const WORKERS = {
    'Worker:Coder': { kind: 'agent', preset: 'claude' },
    'Worker:Reviewer': { kind: 'agent', preset: 'claude' },
  };

  test.each(readdirSync(TEMPLATES))('template %s', (name) => {
    const main = {
      version: 1,
      imports: [`./${name}`],
      commands: { test: ['t'], lint: ['l'], build: ['b'] },
      workers: WORKERS,
    };
    const sources = [
      { path: 'main.json', text: JSON.stringify(main) },
      { path: name, text: readFileSync(new URL(name, TEMPLATES), 'utf8') },
    ];
    expect(compile(sources).workflow).not.toBeNull();
    expectEqualForms(sources, {});
  });
});
