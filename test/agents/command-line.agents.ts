import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findSandboxMaker } from '../../src/io/sandbox/probe.ts';
import type { Response } from '../../src/protocol/response.ts';
import { sandboxTrouble } from '../../src/protocol/sandbox.ts';
import { agentManifest, callRecords, commitAll } from '../e2e/cli/agent-setting.ts';
import type { Inbox } from '../e2e/cli/durable-documents.ts';
import { type DurableProject, durableProject, RUN } from '../e2e/cli/durable.ts';
import { type Ended, ended, start } from '../e2e/cli/robosmith.ts';
import { verifies } from '../e2e/verifies.ts';
import { type NamespacedTools, startNamespacedTools } from './namespaced-tools.ts';
import { redirectingFiles, startRecorder, writeBelow } from './redirecting-files.ts';
import { planted, plantSettings } from './planted-settings.ts';
import { AGENTS, GEMINI_SETTINGS, programOf, type RealAgent, type ToolCall } from './agents.ts';

const KEY = 'sk-agents-good-5566778899aabbcc';

type Said = { readonly content: string } | { readonly toolCalls: readonly ToolCall[] };

let here: DurableProject;
let mock: LLMock;
let proxy: NamespacedTools;
let environment: Readonly<Record<string, string>> = {};
/** The agent's requests to the model, as text. */
let asked: string[] = [];
beforeEach(() => {
  asked = [];
});
afterEach(async () => {
  await proxy.close();
  await mock.stop();
  await here.remove();
  // An agent may store its key in its own home. That folder is not RoboSmith's, so the search for leaked keys excludes
  // it.
  execFileSync(process.execPath, ['-e', 'fs.rmSync(process.argv[1], { recursive: true })', environment['HOME'] ?? '']);
});

/**
 * Sets the model's answers to the agent; the last one is repeated. Requests without tools are not part of the agent's
 * main loop and get a short text.
 */
function answers(agent: RealAgent, ...said: readonly Said[]): void {
  let turn = 0;
  mock.on({ predicate: ({ tools }) => (tools?.length ?? 0) > 0 }, (request) => {
    asked.push(JSON.stringify(request));
    const answer = { ...(said[Math.min(turn, said.length - 1)] ?? { content: '' }), usage: agent.usage };
    turn += 1;
    return answer as never;
  });
  mock.on({}, { content: 'ok' });
}

/** Creates a repository with this agent as a worker, and starts the model server that the agent uses. */
async function set(agent: RealAgent, worker: object = {}, block: object = {}, key = KEY): Promise<void> {
  mock = new LLMock({ port: 0, host: '127.0.0.1', auth: { apiKeys: [KEY] } });
  await mock.start();
  proxy = await startNamespacedTools(mock.url);
  const url = agent.name === 'codex' ? proxy.url : mock.url;
  const env = agent.env(url, key);
  here = await durableProject({
    'src/a.txt': 'broken\n',
    'lib/l.txt': 'l\n',
    '.gitignore': '.flow/\n.vision/logs/\n',
    '.vision/workflows.json': agentManifest(
      {
        preset: agent.name,
        command: [programOf(agent)],
        model: agent.model,
        args: agent.args(url),
        env: Object.keys(env),
        ...worker,
      },
      block,
    ),
  });
  const home = await mkdtemp(path.join(tmpdir(), 'robosmith-agent-home-'));
  await mkdir(path.join(home, '.gemini'));
  await writeFile(path.join(home, '.gemini/settings.json'), JSON.stringify(GEMINI_SETTINGS));
  environment = { ...env, HOME: home, USERPROFILE: home };
  commitAll(here.folder);
}

const robosmith = (...args: readonly string[]): Promise<Ended> => ended(start(args, here.folder, environment));

/** Runs the program as a user would do by hand, and returns its output. */
async function runAlone(
  agent: RealAgent,
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const env = { PATH: process.env['PATH'], ...variables };
  const result = await execa(programOf(agent), agent.alone, { cwd: folder, env, extendEnv: false, input: 'Hello', reject: false, all: true, timeout: 30_000, forceKillAfterDelay: 1_000, killDescendants: true }); // prettier-ignore
  return result.all;
}

const DONE = { content: 'All done.\nSIGNAL:SUCCESS' };

/** Returns the ids of processes that still run in the project. */
const left = (): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(here.folder);
    } catch {
      return false;
    }
  });

describe.each(AGENTS)('$name', (agent) => {
  test('writes a file with its own tool, and its call is in the log', { timeout: 120_000 }, async () => {
    verifies('workers.ai.agent', 'workers.ai.agent-streams', 'workers.ai.agent-log');
    await set(agent);
    answers(agent, { toolCalls: [agent.write(here.file('src/b.txt'), 'fixed')] }, DONE);
    const { code, out, err } = await robosmith(...RUN, '--json');
    expect([code, err]).toEqual([0, expect.stringContaining('SUCCESS')]);
    expect(await readFile(here.file('src/b.txt'), 'utf8')).toBe('fixed');
    const { data, metadata } = JSON.parse(out) as Response;
    expect(data.payload.map(({ type }) => type)).toEqual(['AGENT_WORK', 'CODE_OUTPUT']);
    expect(data.payload[0]?.content).toContain('src/b.txt');
    expect(data.payload[1]?.content).toBe(DONE.content);
    expect(metadata.tokens).toBeGreaterThanOrEqual(220);
    const [record, ...more] = await callRecords(here);
    expect(more).toEqual([]);
    expect(record).toMatchObject({ outcome: 'ok', agent: { name: agent.name, resumed: null, exit_code: 0 } });
    expect(record?.agent?.session).toMatch(/^[0-9a-f-]{36}$/);
    expect(asked[0]).toContain('Fix the bug.');
  });

  test('what it writes outside of the access is put back, and a failure', { timeout: 120_000 }, async () => {
    verifies('workers.ai.agent-access');
    await set(agent);
    answers(agent, { toolCalls: [agent.write(here.file('lib/new.txt'), 'mine')] }, DONE);
    const { code, err } = await robosmith(...RUN);
    expect([code, err]).toEqual([3, expect.stringContaining('lib/new.txt is new')]);
    expect(existsSync(here.file('lib/new.txt'))).toBe(false);
  });

  test('approvals "sandboxed": runs commands, and none of them reaches a key or another folder', async (context) => {
    verifies('workers.ai.agent-sandbox');
    const trouble = sandboxTrouble(await findSandboxMaker(), agent.name);
    if (trouble !== null) return context.skip(trouble.problem);
    await set(agent, { approvals: 'sandboxed' });
    const home = environment['HOME'] ?? '';
    await mkdir(path.join(home, '.ssh'));
    await writeFile(path.join(home, '.ssh/key'), 'SECRET');
    const tries = [`cat ${home}/.ssh/key`, `echo x > ${home}/evil`, 'echo x > ../evil', 'git status --short'];
    const command = `${tries.join('; ')}; echo fixed > src/b.txt; echo served: $(node -p 1)`;
    answers(agent, { toolCalls: [agent.run(command)] }, DONE);
    const { code, err } = await robosmith(...RUN);
    expect([code, err]).toEqual([0, expect.stringContaining('SUCCESS')]);
    expect(await here.read('src/b.txt')).toBe('fixed\n');
    expect([existsSync(path.join(home, 'evil')), existsSync(here.file('../evil'))]).toEqual([false, false]);
    expect(asked.at(-1)).toContain('served: 1');
    expect(asked.at(-1)).not.toContain('SECRET');
  });

  test.skipIf(agent.analyse === null).each(['read', 'edit'])(
    'approvals "%s": asks the code-analysis server of its session\'s worktree',
    { timeout: 120_000 },
    async (approvals) => {
      verifies('workers.ai.agent-analysis');
      await set(agent, { approvals });
      await here.write('src/greet.ts', 'export function greet(name: string): string {\n  return name;\n}\n');
      commitAll(here.folder);
      // The committed text exists in the session's worktree, but no longer in the main checkout.
      await here.write('src/greet.ts', '');
      const call = agent.analyse?.('find_symbol', { query: 'greet' });
      answers(agent, ...(call === undefined ? [] : [{ toolCalls: [call] }]), DONE);
      const run = await robosmith('run', 'Main', '--session', 'Analyse', '--trust');
      expect([run.code, run.err]).toEqual([0, expect.any(String)]);
      expect(asked[1]).toContain('export function greet(name: string): string');
    },
  );

  test('approvals "read": it refuses its own tool', { timeout: 120_000 }, async () => {
    verifies('workers.ai.agent-approvals');
    await set(agent, { approvals: 'read' });
    answers(agent, { toolCalls: [agent.write(here.file('src/b.txt'), 'fixed')] }, DONE);
    expect((await robosmith(...RUN)).code).toBe(0);
    expect(existsSync(here.file('src/b.txt'))).toBe(false);
    expect(asked.length).toBe(2);
  });

  test.each(['read', 'edit'])(
    'approvals "%s": the settings, hooks and MCP servers of the repository are not started, also where the user trusts the folder',
    { timeout: 120_000 },
    async (approvals) => {
      verifies('workers.ai.agent-approvals');
      await set(agent, { approvals });
      await plantSettings(here.folder, environment['HOME'] ?? '');
      commitAll(here.folder);
      answers(agent, DONE);
      const { code, err } = await robosmith(...RUN);
      expect([code, err]).toEqual([0, expect.any(String)]);
      expect(asked.length).toBe(1);
      expect(planted(here.folder)).toEqual([]);
    },
  );

  /** Files of these places; the program itself reads those of a parent folder too. */
  test.each(['.', '..'])(
    'files in %s that name an endpoint or a proxy do not redirect it',
    { timeout: 240_000 },
    async (place) => {
      const keyName = Object.keys(agent.env('', '')).find((name) => name.endsWith('_API_KEY')) ?? '';
      // Nothing listens at this address of the user's own environment, through which every request goes.
      const own = await startRecorder();
      const stranger = await startRecorder();
      const aside = ['CLAUDE_CODE_MAX_RETRIES', 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC'];
      await set(agent, { args: [], env: [keyName, ...aside] }, { timeout_ms: 30_000 });
      const base = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== mock.url));
      environment = { ...base, HTTPS_PROXY: own.url };
      await writeBelow(path.join(here.folder, place), redirectingFiles(stranger.url));
      await ended(start(RUN, here.folder, environment));
      expect([...stranger.keys, ...stranger.targets]).toEqual([]);
      expect([...own.targets]).toContain(agent.endpoint);
      const alone = await runAlone(agent, here.folder, base);
      // The positive control: the program alone follows these files, to the address or through the proxy.
      const reached = [...stranger.keys, ...stranger.targets];
      expect(reached.length > 0, alone).toBe(agent.redirectedBy.includes(place));
      await Promise.all([own.close(), stranger.close()]);
    },
  );

  test('a retry goes on with its own conversation', { timeout: 120_000 }, async () => {
    verifies('workers.ai.agent-resume');
    await set(agent);
    answers(agent, { content: 'I know no way.\nSIGNAL:FAILURE' }, DONE);
    expect((await robosmith(...RUN)).code).toBe(3);
    const { run } = await here.newest();
    const again = await robosmith('resume', run, '--retry', '--guidance', 'Try the other door.');
    expect([again.code, again.err]).toEqual([0, expect.any(String)]);
    expect(asked.length).toBe(2);
    expect(asked[1]).toContain('I know no way.');
    expect(asked[1]).toContain('Try the other door.');
    const [second, first] = await callRecords(here);
    expect(second?.agent?.resumed).toBe(first?.agent?.session);
  });

  test('a key that the provider does not know: it is told how to log in, and waits', { timeout: 120_000 }, async () => {
    verifies('workers.ai.agent-trouble');
    await set(agent, {}, {}, 'sk-agents-none-00112233445566');
    answers(agent, DONE);
    const { code, err } = await robosmith(...RUN);
    expect([code, err]).toEqual([3, expect.stringContaining(`${agent.name} is not logged in`)]);
    const { out } = await robosmith('inbox', '--json');
    expect((JSON.parse(out) as Inbox).waiting).toMatchObject([{ why: 'keys' }]);
  });

  test('too many requests: the run waits until it goes on by itself', { timeout: 120_000 }, async () => {
    verifies('workers.ai.agent-trouble');
    await set(agent);
    mock.on({}, { error: { message: 'Rate limit reached', type: 'rate_limit_error' }, status: 429 });
    expect((await robosmith(...RUN)).code).toBe(3);
    const { out } = await robosmith('inbox', '--json');
    expect((JSON.parse(out) as Inbox).waiting).toMatchObject([{ why: 'quota', until: expect.any(Number) as number }]);
  });

  test.skipIf(process.platform !== 'linux')(
    'a time limit ends it with all that it has started',
    { timeout: 120_000 },
    async () => {
      verifies('workers.ai.agent-tree');
      await set(agent, {}, { timeout_ms: 15_000 });
      mock.on({}, () => new Promise<never>(() => undefined));
      const { code, err } = await robosmith(...RUN);
      expect([code, err]).toEqual([3, expect.stringContaining('did not finish within 15000 ms')]);
      expect(left()).toEqual([]);
    },
  );
});
