import { afterEach, beforeEach, expect, test } from 'vitest';
import { listExecutables } from '#engine/trust/list-executables.ts';
import { loadRegistry, registryGaps, registryWorkers, usedWorkers } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { graphWith, projectFolder, type ProjectFolder } from './project-folder.ts';

let at: ProjectFolder;
beforeEach(async () => {
  at = await projectFolder();
  await at.write('w.mjs', 'export const W = { sideEffects: "none", execute() {} };');
});
afterEach(() => at.remove());

const open = async (graph: Graph) =>
  loadRegistry(at.root, new Set(usedWorkers(graph).keys()), await listExecutables(null, at.root));

const gaps = async (graph: Graph) =>
  registryGaps(graph, await open(graph)).map(({ code, line, column, message }) => [code, line, column, message]);

const MODULE = { 'Worker:Git': { kind: 'module', module: 'git' } };

test('what a manifest uses: workers of blocks and of recovery, and those that stand behind its own', () => {
  const block = { recovery: { '*': [{ policy: 'repair', worker: 'mender' }] } };
  const workers = { ...MODULE, 'Worker:Ai': { kind: 'ai', provider: 'openai', model: 'm' } };
  const graph = graphWith(['Worker:Git', 'Internal:TestRunner', 'Worker:Ai', 'own', 'own'], {
    workers,
    block,
    known: ['git', 'own', 'mender'],
  });
  expect([...usedWorkers(graph)]).toEqual([
    ['git', 'Main__B0'],
    ['mender', 'Main__B0'],
    ['Internal:TestRunner', 'Main__B1'],
    ['own', 'Main__B3'],
  ]);
});

test('without a file, built-in workers are no gap', async () => {
  expect(await gaps(graphWith(['Internal:TestRunner', 'Internal:None']))).toEqual([]);
});

test('with {}, a built-in worker is one, and how to add it is said', async () => {
  await at.registry('{}');
  expect(await gaps(graphWith(['Internal:TestRunner', 'Internal:None', 'own']))).toEqual([
    [
      'registry_not_listed',
      1,
      1,
      '.flow/flow.registry.json does not list the worker "Internal:TestRunner", which Main__B0 uses. Add "Internal:TestRunner": "builtin:TestRunner" to it.',
    ],
    [
      'registry_not_listed',
      1,
      1,
      '.flow/flow.registry.json does not list the worker "Internal:None", which Main__B1 uses. Use another worker there: this version has no built-in one of that name.',
    ],
    [
      'registry_not_listed',
      1,
      1,
      '.flow/flow.registry.json does not list the worker "own", which Main__B2 uses. Add "own": "./path/to/module.mjs#Export" to it.',
    ],
  ]);
});

test('a broken worker stops only a manifest that uses it', async () => {
  await at.registry({ good: './w.mjs#W', bad: './none.mjs#W' });
  expect(await gaps(graphWith(['good']))).toEqual([]);
  expect(await gaps(graphWith(['good', 'bad']))).toEqual([
    [
      'registry_module_broken',
      3,
      10,
      'The worker "bad" of Main__B1 is broken, ./none.mjs#W: there is no such file. Correct the module.',
    ],
  ]);
});

test('an error of the file itself is the gap of any manifest', async () => {
  await at.registry('[]');
  const graph = graphWith(['Internal:Command']);
  expect(await gaps(graph)).toEqual([
    ['registry_not_an_object', 1, 1, 'The file must be an object, but it is a list. Write an object.'],
  ]);
});

test("a manifest's own module workers go by their own names", async () => {
  await at.registry({ git: './w.mjs#W', 'Internal:Command': 'builtin:Command' });
  const graph = graphWith(['Worker:Git', 'Worker:Shell'], {
    workers: { ...MODULE, 'Worker:Shell': { kind: 'module', module: 'Internal:Command' } },
    known: ['git', 'Internal:Command'],
  });
  const registry = await open(graph);
  expect(registryGaps(graph, registry)).toEqual([]);
  const workers = registryWorkers(graph, registry);
  expect([...workers.keys()]).toEqual(['git', 'Worker:Git', 'Worker:Shell']);
  expect(workers.get('Worker:Git')).toBe(workers.get('git'));
});
