import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listExecutables } from '#engine/trust/list-executables.ts';
import { loadRegistry, type Registry } from '#engine/index.ts';
import { wallClock } from '#io/clock/clock.ts';
import { createVirtualClock } from '#io/clock/virtual-clock.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { projectFolder, type ProjectFolder } from './project-folder.ts';
import { verifies } from '../../../e2e/verifies.ts';

let at: ProjectFolder;
beforeEach(async () => {
  at = await projectFolder();
});
afterEach(() => at.remove());

type Loaded = Extract<Registry, { readonly ok: true }>;

async function load(used: readonly string[] | 'all' = 'all'): Promise<Loaded> {
  const registry = await loadRegistry(
    at.root,
    used === 'all' ? 'all' : new Set(used),
    await listExecutables(null, at.root),
  );
  if (!registry.ok) throw new Error(registry.problem.message);
  return registry;
}

const statuses = ({ entries }: Loaded): Readonly<Record<string, string>> =>
  Object.fromEntries(entries.map(({ name, status, problem }) => [name, problem ?? status]));

const ALL = [
  'TestRunner',
  'RunLinter',
  'RunBuilder',
  'Command',
  'FileSystemWriter',
  'DocumentationWriter',
  'UpdateChangePlan',
  'ContextQuery',
  'GitCommit',
  'Diff',
  'PullRequest',
  'Loom',
  'Verdict',
  'ManualIntervention',
];

describe('built-in workers', () => {
  test('without a file all are there, and no others', async () => {
    const registry = await load();
    expect(statuses(registry)).toEqual(Object.fromEntries(ALL.map((name) => [`Internal:${name}`, 'ready'])));
    expect([registry.written, registry.workers.size, registry.allowsBuiltIn('Internal:Command')]).toEqual([
      false,
      0,
      true,
    ]);
  });

  test('{} has none at all', async () => {
    verifies('workers.registry.absent-or-empty');
    await at.registry('{}');
    const registry = await load();
    expect([registry.written, registry.entries, registry.workers.size]).toEqual([true, [], 0]);
    expect(ALL.filter((name) => registry.allowsBuiltIn(`Internal:${name}`))).toEqual([]);
  });

  test('those that are listed are there, also under another name', async () => {
    await at.registry({ 'Internal:Command': 'builtin:Command', tests: 'builtin:TestRunner' });
    const registry = await load([]);
    expect(statuses(registry)).toEqual({ 'Internal:Command': 'ready', tests: 'ready' });
    expect([...registry.workers.keys()]).toEqual(['tests']);
    expect(registry.allowsBuiltIn('Internal:Command')).toBe(true);
    expect(registry.allowsBuiltIn('Internal:TestRunner')).toBe(false);
  });
});

/** Returns the source of a module that creates a file when it is imported. */
const leavingTrace = (name: string): string =>
  `import { writeFileSync } from 'node:fs';
   writeFileSync(new URL('./trace-${name}', import.meta.url), '');
   export const W = { sideEffects: 'none', execute: async () => ({ signal: 'SIGNAL:SUCCESS' }) };`;

test('only what is listed and used is imported', async () => {
  verifies('workers.registry.whitelist');
  for (const name of ['used', 'unused', 'unlisted']) await at.write(`w/${name}.mjs`, leavingTrace(name));
  await at.registry({ used: './w/used.mjs#W', unused: './w/unused.mjs#W' });
  const registry = await load(['used', 'unlisted']);
  expect(statuses(registry)).toEqual({ used: 'ready', unused: 'not_loaded' });
  expect([...registry.workers.keys()]).toEqual(['used']);
  const traces = async () => (await readdir(path.join(at.root, 'w'))).filter((name) => name.startsWith('trace')).sort();
  expect(await traces()).toEqual(['trace-used']);
  expect(statuses(await load())).toEqual({ used: 'ready', unused: 'ready' });
  expect(await traces()).toEqual(['trace-unused', 'trace-used']);
});

test('a registry with an error imports nothing', async () => {
  await at.write('w/a.mjs', leavingTrace('a'));
  await at.registry('{ "a": "./w/a.mjs#W", "b": 1 }');
  expect(await loadRegistry(at.root, 'all', [])).toMatchObject({ ok: false, problem: { code: 'registry_bad_value' } });
  expect(await readdir(path.join(at.root, 'w'))).toEqual(['a.mjs']);
});

test('objects, instances and classes are workers', async () => {
  await at.write(
    'w.mjs',
    `class Base { execute() { return Promise.resolve({ signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: this.says }] }); } }
     export class Made extends Base { sideEffects = 'idempotent'; says = 'made'; }
     export const instance = Object.assign(new Made(), { says: 'instance' });
     export default { ...instance, says: 'object', execute: Base.prototype.execute };
     export class Careful { checkCompletion() { return Promise.resolve(null); } execute() {} }`,
  );
  await at.registry({
    made: './w.mjs#Made',
    instance: './w.mjs#instance',
    object: './w.mjs#default',
    careful: './w.mjs#Careful',
  });
  const { workers } = await load();
  const said = await Promise.all(
    ['made', 'instance', 'object'].map(async (name) => {
      const memory = { payload: [] } as unknown as BlockMemory;
      const services = { clock: wallClock, progress: () => undefined } as unknown as Services;
      const result = await workers.get(name)?.execute(memory, services, new AbortController().signal);
      return result?.append;
    }),
  );
  expect(said).toEqual(['made', 'instance', 'object'].map((content) => [{ type: 'NOTE', content }]));
  expect(workers.has('careful')).toBe(true);
});

const UNSAFE =
  'its sideEffects are neither "none" nor "idempotent", so it needs a function checkCompletion, which is asked after a crash whether its work was done';

test.each([
  ['{ execute() {} }', `"W" is not a worker: ${UNSAFE}`],
  ["{ sideEffects: 'non_idempotent', execute() {} }", `"W" is not a worker: ${UNSAFE}`],
  ["{ sideEffects: 'none' }", '"W" is not a worker: it has no function execute'],
  ["{ sideEffects: 'none', execute: 'x' }", '"W" is not a worker: it has no function execute'],
  [
    "{ sideEffects: 'pure', execute() {} }",
    '"W" is not a worker: its sideEffects must be "none", "idempotent" or "non_idempotent"',
  ],
  [
    '{ sideEffects: null, execute() {} }',
    '"W" is not a worker: its sideEffects must be "none", "idempotent" or "non_idempotent"',
  ],
  ["{ sideEffects: 'none', execute() {}, cleanup: true }", '"W" is not a worker: its cleanup is not a function'],
  [
    "{ sideEffects: 'none', execute() {}, checkCompletion: null }",
    '"W" is not a worker: its checkCompletion is not a function',
  ],
  ["{ sideEffects: 'none', execute() {}, manual: false }", '"W" is not a worker: its manual can only be true'],
  ["{ get sideEffects() { throw new Error('no'); } }", '"W" cannot be made: no'],
  ["class { constructor() { throw new Error('not today'); } }", '"W" cannot be made: not today'],
  ['() => ({})', '"W" cannot be made: exported is not a constructor'],
  ['42', '"W" is neither an object nor a class'],
  ['null', '"W" is neither an object nor a class'],
])('an export %s is broken', async (source, problem) => {
  verifies('workers.contract.registration');
  await at.write('w.mjs', `export const W = ${source};`);
  await at.registry({ w: './w.mjs#W' });
  expect(statuses(await load())).toEqual({ w: problem.replace('exported is', `${source} is`) });
});

test('a module that can not be loaded breaks its workers, and no others', async () => {
  verifies('workers.registry.broken');
  await at.write('good.mjs', 'export const W = { sideEffects: "none", execute() {} }; export const other = 1;');
  await at.write('throws.mjs', '\nthrow new Error("boom");');
  await at.write('odd.mjs', 'throw null;');
  await at.write('empty.mjs', '');
  await at.write('folder.mjs/x', '');
  await at.registry({
    good: './good.mjs#W',
    noExport: './good.mjs#V',
    inherited: './good.mjs#toString',
    empty: './empty.mjs#W',
    throws: './throws.mjs#W',
    odd: './odd.mjs#W',
    missing: './missing.mjs#W',
    folder: './folder.mjs#W',
  });
  expect(statuses(await load())).toEqual({
    good: 'ready',
    noExport: 'it has no export "V": it has W, other',
    inherited: 'it has no export "toString": it has W, other',
    empty: 'it has no export "W": it has none',
    throws: 'it cannot be loaded: boom (line 2)',
    odd: 'it cannot be loaded: null',
    missing: 'there is no such file',
    folder: 'there is no such file',
  });
});

test('a module that never finishes loading is given up after ten seconds', async () => {
  await at.write(
    'hangs.mjs',
    "import { writeFileSync } from 'node:fs'; writeFileSync(new URL('./begun', import.meta.url), ''); setInterval(() => {}, 1000); await new Promise(() => {}); export const W = 1;",
  );
  await at.write('good.mjs', 'export const W = { sideEffects: "none", execute() {} };');
  await at.registry({ hangs: './hangs.mjs#W', good: './good.mjs#W' });
  const clock = createVirtualClock(0, () => 0);
  const loading = loadRegistry(at.root, new Set(['hangs']), await listExecutables(null, at.root), process.env, clock);
  await expect.poll(() => readdir(at.root)).toContain('begun');
  expect(clock.advance()).toBe(true);
  const registry = await loading;
  expect(registry.ok ? statuses(registry) : registry.problem).toEqual({
    hangs: 'it did not finish loading within 10 s',
    good: 'not_loaded',
  });
  expect(clock.now()).toBe(10_000);
});
