import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, describe, expect, test } from 'vitest';
import type { CallRecord } from '#protocol/call-record.ts';
import type { Response } from '#protocol/response.ts';
import { fakeCommand, homeOf, plan, startsIn, type Style } from '../../support/agents/agent-project.ts';
import { verifies } from '../verifies.ts';
import { agentManifest, callRecords, commitAll } from './agent-setting.ts';
import type { Inbox } from './durable-documents.ts';
import { type DurableProject, durableProject, RUN } from './durable.ts';
import { ended, start, to } from './robosmith.ts';
import { isAlive } from '../../support/is-alive.ts';
import { until } from '../../support/until.ts';

let here: DurableProject;
afterEach(() => here.remove());

const HALT = to('FAIL_DEFAULT', 'HALT_AND_FLAG');

/** Sets up a project with a repository, an uncommitted change of the user, and an agent with this preset. */
async function set(style: Style, worker: object = {}, block: object = {}, more: object = {}): Promise<void> {
  here = await durableProject({
    'src/a.txt': 'broken\n',
    'lib/l.txt': 'l\n',
    '.env': 'SECRET=1\n',
    '.gitignore': '.flow/\n.vision/logs/\n.env\n',
  });
  await mkdir(homeOf(here.folder));
  await here.write(
    '.vision/workflows.json',
    agentManifest({ preset: style, command: fakeCommand(style, here.folder), ...worker }, block, more),
  );
  commitAll(here.folder);
  await here.write('lib/l.txt', 'l, and what the user did\r\n');
}

const DONE = { answer: 'All done.\nSIGNAL:SUCCESS' };

const calls = (): Promise<readonly CallRecord[]> => callRecords(here);

test("what an agent does not say costs what the project's own prices say", async () => {
  verifies('workers.pool.user-prices');
  await set('codex', { model: 'gpt-own' });
  await here.write('.vision/prices.json', '{"gpt-own": {"input": 1, "output": 2, "cached": 1}}');
  await plan(here.folder, DONE);
  expect((await here.robosmith(...RUN)).code).toBe(0);
  const [record] = await calls();
  expect(record).toMatchObject({
    tokens_used: { input: 160, cached: 50, output: 40 },
    cost: { micro_usd: 240, source: 'project' },
  });
});

describe.each<Style>(['claude', 'codex', 'gemini'])('%s', (style) => {
  test('fixes a file, answers, and its call is in the log with its usage', async () => {
    verifies('workers.ai.agent', 'workers.ai.agent-streams', 'workers.ai.agent-log');
    await set(style);
    await plan(here.folder, {
      raw: ['no event at all', '{"type":"of-tomorrow","x":[1]}', '{"type":'],
      tools: [['Edit', { file_path: 'src/a.txt' }]],
      bytes: Buffer.from([0xff, 0xfe, 0x0a]).toString('base64'),
      stderr: 'a warning without an end',
      files: { 'src/a.txt': 'fixed\n' },
      ...DONE,
    });
    const { code, out, err } = await here.robosmith(...RUN, '--json');
    expect(err).toContain('SUCCESS');
    expect(code).toBe(0);
    const { data, metadata } = JSON.parse(out) as Response;
    expect(data.payload.map(({ type }) => type)).toEqual(['AGENT_WORK', 'CODE_OUTPUT']);
    expect(data.payload[0]?.content).toContain('src/a.txt');
    expect(data.payload[1]).toMatchObject({ content: DONE.answer, meta: { agent: style } });
    expect(metadata.tokens).toBe(200);
    const [record] = await calls();
    expect(record).toMatchObject({
      block: 'Main__Fix',
      outcome: 'ok',
      agent: { name: style, resumed: null, exit_code: 0 },
      tokens_used: { input: 160, cached: 50, output: 40 },
    });
    // codex reports neither its model nor a price; an unknown cost is null, never zero.
    expect(record?.cost.micro_usd === null).toBe(style === 'codex');
    const [begun] = startsIn(here.folder);
    expect(begun?.stdin).toContain('Fix the bug.');
    expect(begun?.stdin).toContain('src/**');
    expect(begun?.cwd).toBe(here.folder);
    expect(await here.read('src/a.txt')).toBe('fixed\n');
  });

  test('an error ends the block with its words; a retry goes on with the conversation', async () => {
    verifies('workers.ai.agent-resume', 'workers.ai.agent-trouble');
    await set(style);
    await plan(here.folder, { files: { 'src/a.txt': 'half\n' }, error: 'the tool broke' }, DONE);
    const first = await here.robosmith(...RUN);
    expect(first.code).toBe(3);
    expect(first.err).toContain('the tool broke');
    const { run } = await here.newest();
    const again = await here.robosmith('resume', run, '--retry', '--guidance', 'Try it without the tool.');
    expect(again.code).toBe(0);
    const [one, two] = startsIn(here.folder);
    const session = '5e551017-0000-4000-8000-000000000001';
    expect(one?.argv).not.toContain(session);
    expect(two?.argv).toContain(session);
    expect(two?.stdin).toContain('You have worked on this before');
    expect(two?.stdin).toContain('Try it without the tool.');
    expect(await calls()).toMatchObject([
      { outcome: 'ok', agent: { session, resumed: session } },
      { outcome: 'failed', agent: { session, resumed: null } },
    ]);
  });
});

/** Returns the MCP servers that were passed to the agent at its first start. */
function serversGiven(): Readonly<Record<string, { command: string; args: readonly string[]; env: object }>> {
  const { argv = [] } = startsIn(here.folder)[0] ?? {};
  const at = argv.indexOf('--mcp-config');
  return at < 0 ? {} : (JSON.parse(argv[at + 1] ?? '') as { mcpServers: ReturnType<typeof serversGiven> }).mcpServers;
}

test('an agent gets the code-analysis server of its worktree, which answers, and none where it is turned off', async () => {
  verifies('workers.ai.agent-analysis');
  await set('claude');
  await here.write('src/greet.ts', 'export function greet(name: string): string {\n  return name;\n}\n');
  await plan(here.folder, DONE);
  expect((await here.robosmith(...RUN)).code).toBe(0);
  const { robosmith, ...others } = serversGiven();
  expect(others).toEqual({});
  const { command = '', args = [] } = robosmith ?? {};
  expect(args.at(-1)).toBe(here.folder);
  const client = new Client({ name: 'agent', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', XDG_CACHE_HOME: here.file('cache') };
  await client.connect(new StdioClientTransport({ command, args: [...args], env }));
  const found = await client.callTool({ name: 'find_symbol', arguments: { query: 'greet' } });
  expect(found.structuredContent).toMatchObject({ symbols: [{ name: 'greet', file: 'src/greet.ts' }] });
  await client.close();
});

test.each([
  [{ code_analysis: false }, {}],
  [{}, { ROBOSMITH_ROBERTO_MCP: 'off' }],
])('an agent gets no code analysis with %j and the environment %j', async (worker, environment) => {
  verifies('workers.ai.agent-analysis');
  await set('claude', worker);
  await plan(here.folder, DONE);
  expect((await ended(start(RUN, here.folder, environment))).code).toBe(0);
  expect(serversGiven()).toEqual({});
});

describe('what lies outside of the access', () => {
  test('is put back, told, and a failure', async () => {
    verifies('workers.ai.agent-access');
    await set('claude');
    await plan(here.folder, {
      files: {
        'src/a.txt': 'fixed\n',
        'lib/l.txt': 'mine',
        '.env': null,
        'new.txt': 'n',
        '.git/hooks/pre-commit': 'evil',
      },
      ...DONE,
    });
    const { code, out } = await here.robosmith(...RUN, '--json');
    expect(code).toBe(3);
    const { path: steps, data } = JSON.parse(out) as Response;
    expect(steps[0]?.signal).toBe('SIGNAL:FAILURE');
    const violation = data.payload.at(-1);
    expect(violation?.type).toBe('ACCESS_VIOLATION');
    for (const name of ['.env was removed', 'lib/l.txt was changed', 'new.txt is new', '.git/hooks/pre-commit is new'])
      expect(violation?.content).toContain(name);
    expect(await here.read('src/a.txt')).toBe('fixed\n');
    expect(await here.read('lib/l.txt')).toBe('l, and what the user did\r\n');
    expect(await here.read('.env')).toBe('SECRET=1\n');
    expect(existsSync(here.file('new.txt'))).toBe(false);
    expect(existsSync(here.file('.git/hooks/pre-commit'))).toBe(false);
    const rescued = violation?.meta['rescued'] as string;
    expect(readFileSync(here.file(path.join(rescued, 'new.txt')), 'utf8')).toBe('n');
  });

  test('is put back also after an error, a time limit, a crash of the agent', async () => {
    verifies('workers.ai.agent-access', 'workers.ai.agent-tree');
    await set('claude', {}, { timeout_ms: 4_000 });
    const bad = { files: { 'lib/l.txt': 'mine' } };
    await plan(
      here.folder,
      { ...bad, error: 'no' },
      { ...bad, partial: '{"type":"res', crash: true },
      { ...bad, hang: true, child: true },
    );
    for (const words of ['no', 'killed', 'did not finish within 4000 ms']) {
      const { code, err } = await here.robosmith(...RUN);
      expect(code).toBe(3);
      expect(err).toContain(words);
      expect(await here.read('lib/l.txt')).toBe('l, and what the user did\r\n');
    }
    // The agent's child process ignores SIGTERM and has left the process group. It must be ended nevertheless.
    expect(isAlive(Number(readFileSync(path.join(homeOf(here.folder), 'child'), 'utf8')))).toBe(false);
    expect((await calls()).map(({ outcome }) => outcome)).toEqual(['aborted', 'failed', 'failed']);
  });
});

test('kill -9 during an agent: what it left is put back, and a retry goes on with its conversation', async () => {
  verifies('workers.ai.agent-resume', 'workers.ai.agent-access', 'workers.ai.agent-tree', 'workers.ai.agent-log');
  await set('claude');
  const files = { 'src/a.txt': 'half\n', 'lib/l.txt': 'mine', 'new/x.txt': 'n' };
  await plan(here.folder, { files, text: 'I am at it', hang: true, child: true }, DONE);
  const killed = await here.until('Main', ...RUN);
  await until(() => existsSync(path.join(homeOf(here.folder), 'child')) && hasHeard('5e551017'));
  killed.signal('SIGKILL');
  await killed.ended;
  const [agent] = startsIn(here.folder);
  expect(isAlive(agent?.pid ?? 0)).toBe(true);
  const { run } = await here.newest();
  const looked = await here.robosmith('resume', run);
  expect(looked.code).toBe(3);
  expect(looked.err).toContain('was interrupted');
  expect(looked.err).toContain('lib/l.txt was changed');
  expect(isAlive(agent?.pid ?? 0)).toBe(false);
  expect(isAlive(Number(readFileSync(path.join(homeOf(here.folder), 'child'), 'utf8')))).toBe(false);
  expect(await here.read('lib/l.txt')).toBe('l, and what the user did\r\n');
  expect(existsSync(here.file('new/x.txt'))).toBe(false);
  expect(await here.read('src/a.txt')).toBe('half\n');
  expect((await here.robosmith('resume', run, '--retry')).code).toBe(0);
  expect(startsIn(here.folder)[1]?.argv).toContain('5e551017-0000-4000-8000-000000000001');
  expect((await calls()).map(({ outcome }) => outcome)).toEqual(['ok', 'interrupted']);
});

/** Returns true if the engine has stored the id that the agent gave to the conversation. */
function hasHeard(session: string): boolean {
  const folder = here.file('.flow/agents');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return files.some((name) => readFileSync(path.join(folder, name), 'utf8').includes(session));
}

const waiting = async (): Promise<Inbox['waiting']> =>
  (JSON.parse((await here.robosmith('inbox', '--json')).out) as Inbox).waiting;

describe('trouble', () => {
  test('a program that is not there is an ERROR that says how to install it', async () => {
    verifies('workers.ai.agent-trouble');
    await set('claude', { command: ['no-such-claude'] });
    const { code, err } = await here.robosmith(...RUN);
    expect(code).toBe(3);
    expect(err).toContain('no-such-claude did not start: there is no program `no-such-claude` on the PATH');
    expect(err).toContain('npm install --global @anthropic-ai/claude-code');
    expect(await calls()).toEqual([]);
  });

  test('who is not logged in is told, the run waits, and goes on afterwards', async () => {
    verifies('workers.ai.agent-trouble');
    await set('codex');
    await plan(here.folder, { error: 'unexpected status 401 Unauthorized' }, DONE);
    const { code, err } = await here.robosmith(...RUN);
    expect(code).toBe(3);
    expect(err).toContain('codex is not logged in: start `codex login` once');
    const { run } = await here.newest();
    expect(await waiting()).toMatchObject([{ why: 'keys', until: null }]);
    expect((await here.robosmith('resume', run, '--retry')).code).toBe(0);
  });

  test('a limit of use is a durable wait until it ends', async () => {
    verifies('workers.ai.agent-trouble');
    await set('claude');
    const ends = Math.floor(Date.now() / 1_000) + 7_200;
    const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: ends } };
    await plan(here.folder, { raw: [JSON.stringify(limit)], error: "You've hit your session limit" });
    const { code, err } = await here.robosmith(...RUN);
    expect(code).toBe(3);
    expect(err).toContain("You've hit your session limit");
    expect(await waiting()).toMatchObject([{ why: 'quota', until: ends * 1_000 }]);
    expect(await calls()).toMatchObject([{ outcome: 'limited' }]);
  });

  test('a conversation that the agent has forgotten begins anew, with the whole prompt', async () => {
    verifies('workers.ai.agent-resume');
    await set('claude');
    await plan(
      here.folder,
      { error: 'no' },
      { silent: true, stderr: 'No conversation found with session ID: 5e55\n', code: 1 },
      DONE,
    );
    await here.robosmith(...RUN);
    const { run } = await here.newest();
    expect((await here.robosmith('resume', run, '--retry')).code).toBe(0);
    const [, two, three] = startsIn(here.folder);
    expect(two?.argv).toContain('--resume');
    expect(three?.argv).not.toContain('--resume');
    expect(three?.stdin).not.toContain('You have worked on this before');
    expect((await calls()).map(({ outcome }) => outcome)).toEqual(['ok', 'no_conversation', 'failed']);
  });

  test('a flood, a line of 20 MB and silence', async () => {
    verifies('workers.ai.agent-streams');
    await set('claude', { params: { idle_ms: 1_500 } });
    const long = `{"type":"assistant","x":"${'y'.repeat(20_000_000)}"}`;
    await plan(here.folder, { flood: 3_000, raw: [long], ...DONE }, { hang: true });
    expect((await here.robosmith(...RUN)).code).toBe(0);
    const { code, err } = await here.robosmith(...RUN);
    expect(code).toBe(3);
    expect(err).toContain('it wrote no output for 1500 ms');
  });
});

test('it sees no key that the manifest does not name, and one that it names is in no log', async () => {
  verifies('workers.ai.agent-environment');
  await set('claude', { env: ['MY_TOKEN'], approvals: 'edit' });
  await plan(here.folder, { text: 'MY_TOKEN is tok-0123456789abcdef', answer: 'tok-0123456789abcdef\nSIGNAL:SUCCESS' });
  const secrets = { ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef', MY_TOKEN: 'tok-0123456789abcdef', CLAUDECODE: '1' };
  const { code, out, err } = await ended(start([...RUN, '--json'], here.folder, secrets));
  expect(code).toBe(0);
  const [begun] = startsIn(here.folder);
  expect(begun?.env).toMatchObject({ MY_TOKEN: secrets.MY_TOKEN, ROBOSMITH_APPROVALS: 'edit' });
  // An empty value keeps files that the program reads by itself from setting the variable.
  expect(begun?.env['ANTHROPIC_API_KEY']).toBe('');
  expect(Object.keys(begun?.env ?? {})).not.toContain('CLAUDECODE');
  const found = spawnSync('grep', ['-rlE', 'tok-0123456789|sk-test-', here.folder], { encoding: 'utf8' });
  expect(found).toMatchObject({ status: 1, stdout: '' });
  expect(out + err).not.toContain('tok-0123456789');
});

test('approvals hold for the nodes that are called', async () => {
  verifies('workers.ai.agent-approvals');
  await set(
    'claude',
    { approvals: 'all' },
    {},
    {
      Outer: {
        entry_block: 'A',
        approvals: 'read',
        blocks: {
          A: {
            worker: 'Internal:Command',
            params: { command: ['true'] },
            transitions: [to('SUCCESS', 'CALL:Main'), HALT],
          },
        },
      },
    },
  );
  await plan(here.folder, DONE);
  expect((await here.robosmith(...RUN)).code).toBe(0);
  const outer = RUN.map((arg) => (arg === 'Main' ? 'Outer' : arg));
  await here.robosmith(...outer);
  const [alone, called] = startsIn(here.folder);
  expect(alone?.argv).toContain('bypassPermissions');
  expect(called?.argv).not.toContain('bypassPermissions');
  expect(called?.env).toMatchObject({ ROBOSMITH_APPROVALS: 'read' });
});

test('any other program: the prompt on stdin, its output is the answer', async () => {
  verifies('workers.ai.agent');
  await set('claude');
  await here.write(
    'agent.sh',
    '#!/bin/sh\ncat > src/prompt.txt\necho "Done ($ROBOSMITH_APPROVALS)."\necho SIGNAL:SUCCESS\n',
  );
  chmodSync(here.file('agent.sh'), 0o755);
  await here.write('.vision/workflows.json', agentManifest({ command: ['./agent.sh'] }));
  const { code, out } = await here.robosmith(...RUN, '--json');
  expect(code).toBe(0);
  expect((JSON.parse(out) as Response).data.payload.at(-1)?.content).toBe('Done (edit).\nSIGNAL:SUCCESS\n');
  expect(await readFile(here.file('src/prompt.txt'), 'utf8')).toContain('Fix the bug.');
  const [record] = await calls();
  expect(record).toMatchObject({ agent: { name: 'agent.sh' }, tokens_used: null, cost: { micro_usd: null } });
});

test.each([
  ['echo Done.', { 0: 'SIGNAL:SUCCESS' }, 'SUCCESS'],
  ['echo Done.; echo SIGNAL:FAILURE', { 0: 'SIGNAL:SUCCESS' }, 'FAILURE'],
  ['echo Not possible.; exit 3', { 3: 'SIGNAL:REFUSED' }, 'REFUSED'],
  ['echo Not possible.; exit 3', { 0: 'SIGNAL:SUCCESS' }, 'ERROR'],
  ['echo Done.', { 3: 'SIGNAL:REFUSED' }, 'NO_SIGNAL'],
])('a program that ends with `%s`, and the exit codes %j: the row of %s', async (script, signals, signal) => {
  await set('claude');
  const transitions = [to(signal, 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')];
  await here.write(
    '.vision/workflows.json',
    agentManifest({ command: ['sh', '-c', script], signals }, { transitions }),
  );
  const { code, out } = await here.robosmith(...RUN, '--json');
  expect([code, (JSON.parse(out) as Response).success]).toEqual([0, true]);
  expect(await calls()).toHaveLength(1);
});

test('doctor says which agents are there', async () => {
  await set('claude', { command: undefined });
  const bin = path.join(here.folder, '..', 'bin');
  await mkdir(bin);
  await writeFile(path.join(bin, 'claude'), `#!/bin/sh\nexec ${fakeCommand('claude', here.folder).join(' ')} "$@"\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${bin}${path.delimiter}${path.dirname(process.execPath)}:/usr/bin:/bin` };
  const { out } = await ended(start(['doctor', '--json'], here.folder, env));
  const { checks } = JSON.parse(out) as {
    readonly checks: readonly { readonly id: string; readonly message: string }[];
  };
  expect(checks.filter(({ id }) => id === 'agent').map(({ message }) => message)).toEqual([
    'claude 9.9.9 (for Worker:Agent)',
  ]);
  await rm(path.join(bin, 'claude'));
  const gone = await ended(start(['doctor'], here.folder, env));
  expect(gone.out).toContain('claude, for Worker:Agent, was not found');
  expect(gone.out).toContain('npm install --global @anthropic-ai/claude-code');
});
