import { mkdtemp, mkdir, readFile, rm, writeFile, readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askTrust } from '#cli/trust/ask-trust.ts';
import { showsAll } from '#cli/trust/shows-all.ts';
import { trustHash } from '#engine/trust/executable.ts';
import { listExecutables } from '#engine/trust/list-executables.ts';
import type { WorkerDefinition } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import { sampleGraph } from '../../../unit/compiler-export/sample-graph.ts';
import { fakeIo } from '../../../support/fake-io.ts';
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
  expect(await askTrust(sampleGraph({ Main: { A: { rows: [] } } }), folder, false, fakeIo())).not.toBeNull();
});

test('trust is given once and holds until a command changes', async () => {
  verifies('overview.trust-outside-repo');
  const io = fakeIo({ env: { ROBOSMITH_CONFIG_DIR: path.join(folder, 'config') } });
  expect(await askTrust(tested(['npm', 'test']), folder, false, io)).toBeNull();
  expect(io.err()).toContain('npm test');
  expect(await askTrust(tested(['npm', 'test']), folder, true, io)).not.toBeNull();
  expect(await askTrust(tested(['npm', 'test']), folder, false, io)).not.toBeNull();
  expect(await askTrust(tested(['npm', 'run', 'evil']), folder, false, io)).toBeNull();
  expect(await askTrust(tested(['npm', 'test']), os.tmpdir(), false, io)).toBeNull();
  expect(await readdir(path.join(folder, 'config'))).toEqual(['trust.json']);
  expect(await readdir(folder)).toEqual(['config']);
});

test('what can not be remembered holds for this time, and is told', async () => {
  const file = path.join(folder, 'config');
  await writeFile(file, '');
  const io = fakeIo({ env: { ROBOSMITH_CONFIG_DIR: file } });
  expect(await askTrust(tested(['npm', 'test']), folder, true, io)).not.toBeNull();
  expect(io.err()).toMatch(
    /^! Your decision to trust it could not be saved: \S+trust\.json can't be written: EEXIST: .*\. Set ROBOSMITH_CONFIG_DIR to use another/,
  );
  expect(await askTrust(tested(['npm', 'test']), folder, false, io)).toBeNull();
});

test('a store that is damaged trusts nobody', async () => {
  await writeFile(path.join(folder, 'trust.json'), '{"trusted": [');
  expect(await askTrust(tested(['x']), folder, false, fakeIo({ env: { ROBOSMITH_CONFIG_DIR: folder } }))).toBeNull();
});

test('modules of the registry count with their content', async () => {
  await mkdir(path.join(folder, '.flow'));
  await writeFile(
    path.join(folder, '.flow', 'flow.registry.json'),
    '{"git": "./git.mjs#Git", /* as the engine reads it */ "Internal:Command": "builtin:Command",}',
  );
  await writeFile(path.join(folder, 'git.mjs'), 'one');
  const graph = sampleGraph({});
  const before = await listExecutables(graph, folder);
  expect(before.map(({ what }) => what)).toEqual(['module of git']);
  await writeFile(path.join(folder, 'git.mjs'), 'two');
  expect(trustHash(folder, await listExecutables(graph, folder))).not.toBe(trustHash(folder, before));
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
      return trustHash(folder, await listExecutables(graph, folder));
    }),
  );
  expect(new Set(hashes).size).toBe(workers.length);
});

test('a test command counts under every name that the registry gives its worker', async () => {
  await mkdir(path.join(folder, '.flow'));
  await writeFile(path.join(folder, '.flow', 'flow.registry.json'), '{ "tests": "builtin:TestRunner" }');
  const options = { commands: { test: ['npm', 'test'], lint: ['npm', 'run', 'lint'] } };
  const graph = sampleGraph({ Main: { Test: { worker: 'tests', rows: [] } } }, options);
  expect((await listExecutables(graph, folder)).map(({ command }) => command)).toEqual(['npm test']);
});

test('of a registry with an error nothing is loaded, and nothing asked', async () => {
  await mkdir(path.join(folder, '.flow'));
  await writeFile(path.join(folder, '.flow', 'flow.registry.json'), '{ "git": "./git.mjs#Git", "x": 1 }');
  expect(await listExecutables(null, folder)).toEqual([]);
});

test('a manifest that only calls models asks as well: they cost money, and are sent what is in the project', async () => {
  verifies('overview.trust-outside-repo');
  const io = fakeIo({ env: { ROBOSMITH_CONFIG_DIR: path.join(folder, 'config') } });
  const calling = (settings: JsonObject) => ({
    ...sampleGraph({ Main: { Ask: { worker: 'Worker:C', rows: [] } } }),
    workers: [{ ...commandWorker(settings), kind: 'ai' as const }],
  });
  const tiny = { provider: 'openai', model: 'gpt-tiny' };
  expect(await askTrust(calling(tiny), folder, false, io)).toBeNull();
  expect(io.err()).toContain('model openai gpt-tiny');
  expect(await askTrust(calling(tiny), folder, true, io)).not.toBeNull();
  expect(await askTrust(calling(tiny), folder, false, io)).not.toBeNull();
  expect(await askTrust(calling({ ...tiny, model: 'gpt-dear' }), folder, false, io)).toBeNull();
  expect(await askTrust(calling({ ...tiny, base_url: 'https://evil.example/v1' }), folder, false, io)).toBeNull();
  const unused = { ...calling(tiny), nodes: sampleGraph({ Main: { A: { rows: [] } } }).nodes };
  expect(await listExecutables(unused, folder)).toEqual([]);
});

test('modules count with the files and packages that they name', async () => {
  verifies('overview.trust-outside-repo');
  const put = async (name: string, text: string): Promise<void> => {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  };
  await put('.flow/flow.registry.json', '{"w": "./w.mjs#W"}');
  await put(
    'w.mjs',
    `// it's a comment\nimport './a.mjs'; export { b } from "./lib/b.mjs"; await import(\`./c.mjs\`);
    import data from './data.json' with { type: 'json' }; import x from '#own'; import p from 'pack/deep.js';
    const r = /"/; require('./old'); new URL('./worker.mjs', import.meta.url);`,
  );
  await put('package.json', '{"imports": {"#own": "./own.mjs"}}');
  const reached = ['a.mjs', 'lib/b.mjs', 'lib/deeper.mjs', 'c.mjs', 'data.json', 'own.mjs', 'old.cjs', 'worker.mjs'];
  for (const name of reached) await put(name, name === 'lib/b.mjs' ? "export * from './deeper.mjs'" : '1');
  await put('node_modules/pack/package.json', '{"exports": {"./deep.js": "./dist/deep.js"}}');
  await put('node_modules/pack/dist/deep.js', '1');
  await put('stranger.mjs', '1');
  const hash = async (): Promise<string> => trustHash(folder, await listExecutables(null, folder));
  const before = await hash();
  for (const name of [...reached, 'node_modules/pack/dist/deep.js', 'node_modules/pack/package.json']) {
    const text = await readFile(path.join(folder, name), 'utf8');
    await put(name, `${text}\n`);
    expect([name, await hash()]).not.toEqual([name, before]);
    await put(name, text);
  }
  await put('stranger.mjs', '2');
  expect(await hash()).toBe(before);
  expect((await listExecutables(null, folder))[0]?.command).toContain('./w.mjs#W with ');
});

test('an agent counts with its program, its model and what it may do', async () => {
  const agent = (settings: JsonObject) => ({
    ...sampleGraph({}),
    workers: [{ ...commandWorker(settings), kind: 'agent' as const }],
  });
  const [one] = await listExecutables(agent({ preset: 'claude', model: 'opus' }), folder);
  expect(one?.command).toBe(
    'claude (may edit, and run any command in a sandbox if this machine can make one, without asking) (agent claude) (model opus) (with code analysis)',
  );
  const all: readonly JsonObject[] = [
    { preset: 'claude' },
    { preset: 'claude', model: 'opus' },
    { preset: 'claude', approvals: 'all' },
    { preset: 'claude', approvals: 'edit' },
    { preset: 'claude', approvals: 'sandboxed' },
    { preset: 'claude', approvals: 'sandboxed', network: ['example.com'] },
    { command: ['claude'], approvals: 'sandboxed', state: ['~/.claude'] },
    { preset: 'claude', command: ['./claude'] },
    { preset: 'claude', args: ['--max-turns', '5'] },
    { preset: 'codex' },
    { command: ['claude'] },
  ];
  const texts = await Promise.all(
    all.map(async (settings) => (await listExecutables(agent(settings), folder))[0]?.command),
  );
  expect(new Set(texts).size).toBe(all.length);
});

test('where a model is asked, the rules that take files back count', async () => {
  const graph = {
    ...sampleGraph({ Main: { Ask: { worker: 'Worker:C', rows: [] } } }),
    workers: [{ ...commandWorker({ provider: 'openai', model: 'm' }), kind: 'ai' as const }],
  };
  await mkdir(path.join(folder, '.vision'));
  const rules = (text: string): Promise<void> => writeFile(path.join(folder, '.vision', 'ignore'), text);
  await rules('private/*\n');
  const before = trustHash(folder, await listExecutables(graph, folder));
  await rules('private/*\nmore\n');
  expect(trustHash(folder, await listExecutables(graph, folder))).toBe(before);
  await rules('private/*\n!private/a.md\n');
  expect((await listExecutables(graph, folder)).map(({ command }) => command)).toContain('may be sent: private/a.md');
});

test.each([
  ['rm -rf x', 'rm -rf x'],
  [`npm test${' '.repeat(500)}&& evil`, 'npm test·(500 blanks)·&& evil'],
  ['a\u00a0b\tc  d', 'a·b·c··d'],
  ['a\nb\r\nc\u2028d', 'a⏎b⏎c⏎d'],
  ['a\u200bb\u{e0041}c\u2800', 'a<U+200B>b<U+E0041>c<U+2800>'],
  ['\u001b[2K\u202eevil', '<U+001B>[2K<U+202E>evil'],
])('a person sees all of %j', (text, shown) => {
  expect(showsAll(text)).toBe(shown);
});

test('the list is numbered, and of a long command both ends are shown', async () => {
  const io = fakeIo();
  const graph = {
    ...sampleGraph({}),
    workers: [commandWorker({ command: ['sh', '-c', `${'a'.repeat(5_000)} && evil`] })],
  };
  expect(await askTrust(graph, folder, false, io)).toBeNull();
  expect(io.err()).toMatch(
    /^ {2}1\. sh -c "a{200,} … \d+ characters, see robosmith manifest show --resolved … a+ && evil" {2}worker Worker:C$/m,
  );
});
