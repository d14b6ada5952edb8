import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import { compile, exportWorkflow } from '#compiler/index.ts';
import { verifies } from '../../e2e/verifies.ts';
import { compileSample, sampleNames, sampleSources } from './sample-case.ts';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Makes every use of files, clock and randomness in this process throw. */
function forbidTheWorld(): void {
  const forbid = (what: string) => (): never => {
    throw new Error(`the compiler used ${what}`);
  };
  const names = Object.keys(fs).filter((name): name is 'readFileSync' => /^[a-z]/.test(name) && name !== 'promises');
  for (const name of names) if (typeof fs[name] === 'function') vi.spyOn(fs, name).mockImplementation(forbid(name));
  syncBuiltinESMExports();
  vi.spyOn(Date, 'now').mockImplementation(forbid('Date.now'));
  vi.spyOn(performance, 'now').mockImplementation(forbid('performance.now'));
  vi.spyOn(Math, 'random').mockImplementation(forbid('Math.random'));
  vi.spyOn(crypto, 'randomUUID').mockImplementation(forbid('randomUUID'));
  vi.spyOn(crypto, 'getRandomValues').mockImplementation(forbid('getRandomValues'));
}

const samples = sampleNames()
  .filter((name) => compileSample(name).compilation.workflow !== null)
  .map((name) => ({ name, sources: sampleSources(name) }));

test('text to configs needs no file, no clock and no chance, and gives the same twice', () => {
  verifies('engine.compile.pure');
  expect(samples.length).toBeGreaterThan(10);
  const all = () =>
    samples.map(({ sources }) => {
      const { workflow, diagnostics, resolved } = compile(sources);
      return [workflow === null ? null : exportWorkflow(workflow, 'json'), diagnostics, resolved];
    });
  const before = all();
  forbidTheWorld();
  expect(() => fs.readFileSync(import.meta.filename)).toThrow('the compiler used readFileSync');
  const after = all();
  vi.restoreAllMocks();
  expect(after).toEqual(before);
});
