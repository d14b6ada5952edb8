import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { makeScene, type Scene } from './analysis.ts';
import { BUILT, connect, type Connected } from './connect.ts';

let scene: Scene;
let connected: Connected | null = null;

beforeEach(() => {
  scene = makeScene({
    'src/a.ts':
      "import { helper } from './b.ts';\n/** Runs it. */\nexport function run(): number {\n  return helper(1);\n}\n",
    'src/b.ts': 'export const helper = (x: number): number => x;\n',
    'README.md': '# Project\n',
  });
});
afterEach(async () => {
  await connected?.close();
  connected = null;
  scene.remove();
});

const open = async (): Promise<Connected> => (connected = await connect(scene.root, scene.cache));

test('initialize names the server, its version and its capability', async () => {
  const { client } = await open();
  expect(client.getServerVersion()).toMatchObject({ name: 'roberto-mcp', version: manifest.version });
  expect(client.getServerCapabilities()?.tools).toBeDefined();
  expect(client.getInstructions()).toContain('one worktree');
});

test('the tools of the table are listed with schemas and read-only hints', async () => {
  const { client } = await open();
  const { tools } = await client.listTools();
  const expected: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
    code_search: [['max_results', 'path', 'query'], ['query']],
    compare_changes: [
      ['base', 'max_results', 'ours', 'theirs'],
      ['ours', 'theirs'],
    ],
    find_symbol: [['max_results', 'path', 'query'], ['query']],
    get_dependencies: [['direction', 'file_path', 'hops', 'max_results'], ['file_path']],
    get_file_outline: [['file_path'], ['file_path']],
    get_repo_map: [['path', 'token_budget'], ['token_budget']],
    get_status: [[], []],
    get_symbol_references: [['kind', 'max_results', 'name', 'path'], ['name']],
    get_symbol_source: [['end_line', 'file_path', 'name', 'start_line'], []],
    index_code: [['force', 'path'], []],
  };
  for (const [name, [properties, required]] of Object.entries(expected)) {
    const tool = tools.find((one) => one.name === name);
    expect(Object.keys(tool?.inputSchema.properties ?? {}).sort(), name).toEqual(properties);
    expect(tool?.inputSchema.required ?? [], name).toEqual(required);
    expect(tool?.annotations?.readOnlyHint, name).toBe(true);
    expect(tool?.description?.length, name).toBeGreaterThan(50);
  }
});

test('each tool answers with structured content and compact text', async () => {
  const { client } = await open();
  const result = await client.callTool({ name: 'get_symbol_references', arguments: { name: 'helper' } });
  expect(result.structuredContent).toMatchObject({
    name: 'helper',
    definitions: [{ kind: 'function', file: 'src/b.ts', line: 1, column: 14 }],
    references: [
      { file: 'src/a.ts', line: 1, column: 10, text: "import { helper } from './b.ts';" },
      { file: 'src/a.ts', line: 4, column: 10, text: 'return helper(1);', in: 'function run' },
    ],
    total_references: 2,
    truncated: false,
  });
  expect(result.content).toEqual([
    {
      type: 'text',
      text: [
        'helper: 1 definitions, 2 references',
        'def src/b.ts:1 function export const helper = (x: number): number',
        "ref src/a.ts:1:10 import { helper } from './b.ts';",
        'ref src/a.ts:4:10 return helper(1);  [in function run]',
      ].join('\n'),
    },
  ]);
});

test('indexing reports progress that grows to the number of files', async () => {
  for (let index = 0; index < 900; index += 1) scene.write(`many/n${index}.ts`, `export const n${index} = ${index};\n`);
  const { client } = await open();
  const seen: number[] = [];
  const result = await client.callTool({ name: 'index_code', arguments: {} }, undefined, {
    onprogress: ({ progress }) => seen.push(progress),
  });
  expect(result.structuredContent).toMatchObject({ files: 903, languages: { typescript: 902, markdown: 1 } });
  expect(seen.length).toBeGreaterThan(1);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
});

test('a cancelled call ends at once, and the server answers the next one', async () => {
  for (let index = 0; index < 600; index += 1) scene.write(`many/n${index}.ts`, `export const n${index} = ${index};\n`);
  const { client, ask } = await open();
  const controller = new AbortController();
  const call = client.callTool({ name: 'index_code', arguments: {} }, undefined, { signal: controller.signal });
  controller.abort('no longer needed');
  await expect(call).rejects.toThrow('no longer needed');
  expect(await ask('get_symbol_references', { name: 'n5' })).toMatchObject({ total_definitions: 1 });
});

test.each([
  ['get_file_outline', { file_path: '../outside.ts' }, 'outside_root'],
  ['get_file_outline', { file_path: '/etc/passwd' }, 'outside_root'],
  ['get_file_outline', { file_path: 'missing.ts' }, 'file_not_found'],
  ['get_file_outline', { file_path: 'a\0b' }, 'bad_argument'],
  ['get_symbol_source', { name: 'nobody' }, 'symbol_not_found'],
  ['get_symbol_source', {}, 'bad_argument'],
  ['get_symbol_source', { file_path: 'src/a.ts', start_line: 9_000 }, 'bad_argument'],
  ['index_code', { path: 'nowhere' }, 'file_not_found'],
  ['code_search', { query: 'x', path: '../..' }, 'outside_root'],
  ['find_symbol', { query: 'x', path: `src/${'*a'.repeat(20)}*b` }, 'bad_argument'],
  ['code_search', { query: 'x', path: '**/a/**/b/**/c/**/d' }, 'bad_argument'],
  ['get_repo_map', { token_budget: 100, path: '{a,b}{c,d}{e,f}' }, 'bad_argument'],
])('%s with %j is refused as %s', async (name, args, code) => {
  const { client } = await open();
  const result = await client.callTool({ name, arguments: args });
  expect(result.isError).toBe(true);
  expect(result.structuredContent).toMatchObject({ error: { code } });
  expect(result.content).toMatchObject([
    { type: 'text', text: expect.stringMatching(new RegExp(`^${code}: `, 'u')) as string },
  ]);
});

test.each([
  ['get_file_outline', {}],
  ['get_symbol_references', { name: '' }],
  ['get_symbol_references', { name: 'x', max_results: 1e9 }],
  ['get_repo_map', { token_budget: 'many' }],
  ['code_search', { query: 'x'.repeat(5_000) }],
  ['no_such_tool', {}],
])('%s with unfit arguments is an error of the protocol or the tool, and the server lives', async (name, args) => {
  const { client, ask } = await open();
  const outcome = await client.callTool({ name, arguments: args }).then(
    (result) => result.isError,
    (error: unknown) => error instanceof Error && 'code' in error && error.code === -32602,
  );
  expect(outcome).toBe(true);
  expect(await ask('get_status')).toMatchObject({ version: manifest.version });
});

test('a method that does not exist is refused with the code of JSON-RPC', async () => {
  const child = spawn(process.execPath, [BUILT, scene.root, '--cache', scene.cache], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value));
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  });
  expect(await answer()).toMatchObject({
    id: 1,
    result: { protocolVersion: '2025-06-18', serverInfo: { name: 'roberto-mcp' } },
  });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'no/such' });
  expect(await answer()).toMatchObject({ id: 2, error: { code: -32601 } });
  child.stdin.write('this is no JSON\n');
  send({ id: 3, method: 'ping' });
  expect(await answer()).toMatchObject({ id: 3, result: {} });
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('the server ends with its client', async () => {
  const { processId, close } = await open();
  await close();
  connected = null;
  expect(() => process.kill(processId, 0)).toThrow('ESRCH');
});

test('nothing is written into the worktree', async () => {
  const { ask } = await open();
  await ask('index_code');
  expect(scene.git('status', '--porcelain', '--ignored')).toBe('');
  expect(existsSync(scene.cache)).toBe(true);
});

const run = promisify(execFile);

test('the command line says its version and its usage, and refuses what is no folder', async () => {
  expect((await run(process.execPath, [BUILT, '--version'])).stdout).toBe(`${manifest.version}\n`);
  expect((await run(process.execPath, [BUILT, '--help'])).stdout).toContain('--cache <folder>');
  await expect(run(process.execPath, [BUILT, '/no/such/folder'])).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'roberto-mcp: /no/such/folder is not a folder. Give the root of a worktree.\n',
  });
  await expect(run(process.execPath, [BUILT, '--unknown'])).rejects.toMatchObject({ code: 2, stdout: '' });
});
