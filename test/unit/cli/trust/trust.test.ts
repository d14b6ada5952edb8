import { mkdtemp, mkdir, rm, writeFile, readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askTrust } from '#cli/trust/ask-trust.ts';
import { trustHash, whatWouldRun } from '#engine/trust/what-would-run.ts';
import type { WorkerDefinition } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import { sampleGraph } from '../../compiler-export/sample-graph.ts';
import { fakeIo } from '../fake-io.ts';
import { verifies } from '../../../e2e/verifies.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'robosmith-trust-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const tested = (argv: readonly string[]) =>
  sampleGraph({ Main: { Test: { worker: 'Internal:TestRunner', rows: [] } } }, { commands: { test: argv } });

const commandWorker = (settings: JsonObject): WorkerDefinition => ({
  name: 'Worker:C',
  kind: 'command',
  persona: null,
  outputType: 'CODE_OUTPUT',
  sideEffects: 'non_idempotent',
  settings,
  origin: { file: 'workflows.json', line: 1, column: 1, pointer: '' },
});

test('a manifest without commands needs no trust', async () => {
  expect(await askTrust(sampleGraph({ Main: { A: { rows: [] } } }), folder, false, fakeIo())).toBe(true);
});

test('trust is given once and holds until a command changes', async () => {
  verifies('overview.trust-outside-repo');
  const io = fakeIo({ env: { ROBOSMITH_CONFIG_DIR: path.join(folder, 'config') } });
  expect(await askTrust(tested(['npm', 'test']), folder, false, io)).toBe(false);
  expect(io.err()).toContain('npm test');
  expect(await askTrust(tested(['npm', 'test']), folder, true, io)).toBe(true);
  expect(await askTrust(tested(['npm', 'test']), folder, false, io)).toBe(true);
  expect(await askTrust(tested(['npm', 'run', 'evil']), folder, false, io)).toBe(false);
  expect(await askTrust(tested(['npm', 'test']), os.tmpdir(), false, io)).toBe(false);
  expect(await readdir(path.join(folder, 'config'))).toEqual(['trust.json']);
  expect(await readdir(folder)).toEqual(['config']);
});

test('what can not be remembered holds for this time, and is told', async () => {
  const file = path.join(folder, 'config');
  await writeFile(file, '');
  const io = fakeIo({ env: { ROBOSMITH_CONFIG_DIR: file } });
  expect(await askTrust(tested(['npm', 'test']), folder, true, io)).toBe(true);
  expect(io.err()).toMatch(
    /^! That you trust it is not remembered: \S+trust\.json can't be written: EEXIST: .*\. ROBOSMITH_CONFIG_DIR names another folder/,
  );
  expect(await askTrust(tested(['npm', 'test']), folder, false, io)).toBe(false);
});

test('a store that is damaged trusts nobody', async () => {
  await writeFile(path.join(folder, 'trust.json'), '{"trusted": [');
  expect(await askTrust(tested(['x']), folder, false, fakeIo({ env: { ROBOSMITH_CONFIG_DIR: folder } }))).toBe(false);
});

test('modules of the registry count with their content', async () => {
  await mkdir(path.join(folder, '.flow'));
  await writeFile(
    path.join(folder, '.flow', 'flow.registry.json'),
    '{"git": "./git.mjs#Git", /* as the engine reads it */ "Internal:Command": "builtin:Command",}',
  );
  await writeFile(path.join(folder, 'git.mjs'), 'one');
  const graph = sampleGraph({});
  const before = await whatWouldRun(graph, folder);
  expect(before.map(({ what }) => what)).toEqual(['module of git']);
  await writeFile(path.join(folder, 'git.mjs'), 'two');
  expect(trustHash(folder, await whatWouldRun(graph, folder))).not.toBe(trustHash(folder, before));
});

test('a command counts with all that decides what it does', async () => {
  const workers = [
    { command: ['a b'] },
    { command: ['a', 'b'] },
    { command: ['a b'], shell: true },
    { command: ['a', 'b'], cwd: 'docs' },
    { command: ['a', 'b'], env: ['OPENAI_API_KEY'] },
  ];
  const hashes = await Promise.all(
    workers.map(async (settings) => {
      const graph = { ...sampleGraph({}), workers: [commandWorker(settings)] };
      return trustHash(folder, await whatWouldRun(graph, folder));
    }),
  );
  expect(new Set(hashes).size).toBe(workers.length);
});

test('a test command counts under every name that the registry gives its worker', async () => {
  await mkdir(path.join(folder, '.flow'));
  await writeFile(path.join(folder, '.flow', 'flow.registry.json'), '{ "tests": "builtin:TestRunner" }');
  const options = { commands: { test: ['npm', 'test'], lint: ['npm', 'run', 'lint'] } };
  const graph = sampleGraph({ Main: { Test: { worker: 'tests', rows: [] } } }, options);
  expect((await whatWouldRun(graph, folder)).map(({ command }) => command)).toEqual(['npm test']);
});

test('of a registry with an error nothing is loaded, and nothing asked', async () => {
  await mkdir(path.join(folder, '.flow'));
  await writeFile(path.join(folder, '.flow', 'flow.registry.json'), '{ "git": "./git.mjs#Git", "x": 1 }');
  expect(await whatWouldRun(null, folder)).toEqual([]);
});

test('a manifest that only calls models asks as well: they cost money, and are sent what is in the project', async () => {
  verifies('overview.trust-outside-repo');
  const io = fakeIo({ env: { ROBOSMITH_CONFIG_DIR: path.join(folder, 'config') } });
  const calling = (settings: JsonObject) => ({
    ...sampleGraph({ Main: { Ask: { worker: 'Worker:C', rows: [] } } }),
    workers: [{ ...commandWorker(settings), kind: 'ai' as const }],
  });
  const tiny = { provider: 'openai', model: 'gpt-tiny' };
  expect(await askTrust(calling(tiny), folder, false, io)).toBe(false);
  expect(io.err()).toContain('model openai gpt-tiny');
  expect(await askTrust(calling(tiny), folder, true, io)).toBe(true);
  expect(await askTrust(calling(tiny), folder, false, io)).toBe(true);
  expect(await askTrust(calling({ ...tiny, model: 'gpt-dear' }), folder, false, io)).toBe(false);
  expect(await askTrust(calling({ ...tiny, base_url: 'https://evil.example/v1' }), folder, false, io)).toBe(false);
  const unused = { ...calling(tiny), nodes: sampleGraph({ Main: { A: { rows: [] } } }).nodes };
  expect(await whatWouldRun(unused, folder)).toEqual([]);
});
