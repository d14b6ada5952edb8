import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunId } from '#protocol/id.ts';
import { verifies } from '../verifies.ts';
import { type Ended, ended, PROGRAM, type Project, project, start } from './robosmith.ts';

const SECRET = 'value-that-must-not-leave-0011';

const BLOCK = { worker: 'Worker:Model', context_slice: 'Login', artifact: ['src/login.ts'] };

const MANIFEST = {
  version: 1,
  workers: { 'Worker:Model': { kind: 'ai', provider: 'openai', model: 'm' } },
  context_slices: {
    Login: {
      queries: [
        { tool: 'get_file_outline', args: { file_path: '${artifact}' } },
        { tool: 'code_search', args: { query: '${exports.word} token' } },
      ],
    },
  },
  nodes: { Main: { entry_block: 'Write', blocks: { Write: BLOCK } } },
};

let at: Project;
let cache: string;
beforeEach(async () => {
  cache = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-context-')));
  at = await project({
    '.vision/workflows.json': MANIFEST,
    '.flow/flow.registry.json': {},
    'answers.json': { 'Worker:Model': [{ signal: 'SIGNAL:SUCCESS' }] },
    'src/login.ts': `export function login(name: string): boolean {\n  return name !== '';\n}\n${'// filler\n'.repeat(200)}`,
    '.env': `TOKEN=${SECRET}\n`,
  });
});
afterEach(async () => {
  await at.remove();
  rmSync(cache, { recursive: true, force: true, maxRetries: 5 });
});

const robosmith = (...args: readonly string[]): Promise<Ended> =>
  ended(start(args, at.folder, { XDG_CACHE_HOME: cache }));

test('context prints what a block would see of a slice, and no secret', async () => {
  verifies('cli.mcp');
  expect((await robosmith('context')).out).toBe('Login\n');
  const args = ['context', 'Login', '--artifact', 'src/*.ts', '--export', 'word=login'] as const;
  const shown = await robosmith(...args);
  expect([shown.code, shown.out]).toEqual([
    0,
    expect.stringContaining('+function export function login(name: string): boolean'),
  ]);
  expect(shown.out).toContain('## get_file_outline file_path="src/login.ts"');
  expect(shown.out).not.toContain(SECRET);
  expect(shown.err).toMatch(/Login: about \d+ tokens, \d{3,} saved compared with sending the whole files/);
  const { slice } = JSON.parse((await robosmith(...args, '--json')).out) as { readonly slice: object };
  expect(slice).toMatchObject({ name: 'Login', queries: 2, failed: [], left_out: 0 });
  for (const flag of ['--artifact', '--export', '--task-title']) {
    const listed = await robosmith('context', flag, 'word=login');
    expect([listed.code, listed.out, listed.err]).toEqual([
      2,
      '',
      expect.stringContaining(`${flag} needs the name of a slice.`),
    ]);
  }
  const unknown = await robosmith('context', 'Logon');
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('Did you mean "Login"?')]);
  const unfilled = await robosmith('context', 'Login', '--json');
  expect([unfilled.code, unfilled.out]).toEqual([1, expect.stringContaining('unfilled_argument')]);
});

test('what a slice saved is shown for the run and with the costs', async () => {
  verifies('manifest.memory.context-slice');
  const ran = await robosmith('run', 'Main', '--in', '.', '--script', 'answers.json', '--trust');
  expect([ran.code, ran.err]).toEqual([0, expect.any(String)]);
  const listed = JSON.parse((await robosmith('runs', '--json')).out) as { runs: readonly { run: RunId }[] };
  const run = listed.runs[0]?.run ?? ('' as RunId);
  const { context } = JSON.parse((await robosmith('runs', 'show', run, '--json')).out) as {
    readonly context: { readonly tokens: number; readonly tokens_saved: number };
  };
  expect(context).toMatchObject({ slices: 1 });
  const whole = (await readFile(at.file('src/login.ts'), 'utf8')).length;
  expect(context.tokens).toBeGreaterThan(10);
  // The other query of the slice names an export that the run does not have.
  expect(context.tokens_saved).toBe(Math.round(whole / 3.6) - context.tokens);
  const text = `1 context slice: about ${context.tokens} tokens, ${context.tokens_saved} saved compared with sending the whole files`;
  expect((await robosmith('runs', 'show', run)).out).toContain(text);
  expect((await robosmith('calls', 'cost', '--run', run)).out).toContain(text);
  expect((await robosmith('calls', 'cost', '--run', 'rffff')).out).not.toContain('context slice');
});

test('mcp serves the official client on stdin and stdout', async () => {
  verifies('cli.mcp');
  const client = new Client({ name: 'test', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', HOME: cache, XDG_CACHE_HOME: cache };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp', at.folder], env }));
  try {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('get_file_outline');
    const answer = await client.callTool({ name: 'find_symbol', arguments: { query: 'login' } });
    expect(answer.structuredContent).toMatchObject({
      symbols: expect.arrayContaining([expect.objectContaining({ name: 'login', file: 'src/login.ts' })]) as object,
    });
  } finally {
    await client.close();
  }
});
