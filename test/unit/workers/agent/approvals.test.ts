import { describe, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { mostApprovals } from '#machines/run/most-approvals.ts';
import { indexGraph } from '#machines/run/graph-index.ts';
import { type AgentName, AGENTS, type Approvals } from '#protocol/approvals.ts';
import { refusedArgument } from '#protocol/agent-flags.ts';
import type { GraphBlock, WorkerDefinition } from '#protocol/graph.ts';
import type { FramePath, NodeId } from '#protocol/id.ts';
import type { SandboxProbe } from '#protocol/sandbox.ts';
import { PRESETS } from '../../../../src/workers/agent/preset.ts';
import { readAgentSettings } from '../../../../src/workers/agent/read-agent-settings.ts';
import { verifies } from '../../../e2e/verifies.ts';

const compiledText = (manifest: object) => compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);

const PLAIN = { folder: '/w/p', analysis: null, ownSandbox: null };

const NONE: SandboxProbe = { ok: false, problem: 'bwrap was not found', advice: 'Install it.' };
const ANY = { ok: true, maker: 'bubblewrap', troubles: {} } satisfies SandboxProbe;

const argv = (name: AgentName, approvals: Approvals, resume: string | null = null): string =>
  PRESETS[name].argv({ ...PLAIN, approvals, model: 'm', args: ['--x'], resume }).join(' ');

const ANALYSIS = { command: '/n/node', args: ['/d/a "b".js', '/w/p'], env: { XDG_CACHE_HOME: '/c' } };

/** Returns the arguments that a preset has only because of the code-analysis server. */
function serverArguments(name: AgentName): readonly string[] {
  const asked = { ...PLAIN, approvals: 'read', model: null, args: [], resume: null } as const;
  const without = PRESETS[name].argv(asked);
  return PRESETS[name].argv({ ...asked, analysis: ANALYSIS }).filter((arg) => !without.includes(arg));
}

test('the code-analysis server is part of the command line, and only its own tools are permitted', () => {
  verifies('workers.ai.agent-analysis');
  const [flag, config = '', ...rest] = serverArguments('claude');
  expect([flag, rest]).toEqual(['--mcp-config', ['--allowedTools', 'mcp__robosmith']]);
  expect(JSON.parse(config)).toEqual({ mcpServers: { robosmith: { type: 'stdio', ...ANALYSIS } } });
  expect(serverArguments('codex')).toEqual([
    'mcp_servers.robosmith={command="/n/node",args=["/d/a \\"b\\".js","/w/p"],env={"XDG_CACHE_HOME"="/c"},startup_timeout_sec=30}',
  ]);
  expect(serverArguments('gemini')).toEqual([]);
});

test('each level has its flags', () => {
  verifies('workers.ai.agent-approvals');
  expect(argv('claude', 'read')).toBe(
    '-p --setting-sources user --strict-mcp-config --permission-mode default --tools Read,Glob,Grep,LSP,WebFetch,WebSearch,Skill,ToolSearch,TodoWrite,TaskCreate,TaskGet,TaskList,TaskUpdate --disallowedTools Bash,PowerShell,Edit,MultiEdit,Write,NotebookEdit --output-format stream-json --verbose --model m --x',
  );
  expect(argv('claude', 'edit', 'id')).toBe(
    '-p --setting-sources user --strict-mcp-config --permission-mode acceptEdits --tools Read,Glob,Grep,LSP,WebFetch,WebSearch,Skill,ToolSearch,TodoWrite,TaskCreate,TaskGet,TaskList,TaskUpdate,Edit,MultiEdit,Write,NotebookEdit --disallowedTools Bash,PowerShell --output-format stream-json --verbose --model m --x --resume id',
  );
  expect(argv('claude', 'all')).toContain('--permission-mode bypassPermissions');
  expect(argv('codex', 'read')).toBe(
    'exec --json --skip-git-repo-check --sandbox read-only -c sandbox_mode="read-only" -c approval_policy="never" -c projects={"/w/p"={trust_level="untrusted"},"/w"={trust_level="untrusted"}} --model m --x -',
  );
  expect(argv('codex', 'edit', 'id')).toBe(
    'exec --json --skip-git-repo-check --sandbox workspace-write -c sandbox_mode="workspace-write" -c approval_policy="never" -c projects={"/w/p"={trust_level="untrusted"},"/w"={trust_level="untrusted"}} -c sandbox_workspace_write.network_access=false --model m --x resume id -',
  );
  expect(argv('codex', 'all')).toContain('--sandbox danger-full-access');
  expect(argv('gemini', 'read')).toBe('--output-format stream-json --approval-mode plan --skip-trust --model m --x');
  expect(argv('gemini', 'edit', 'id')).toBe(
    '--output-format stream-json --approval-mode auto_edit --skip-trust --model m --x --resume id',
  );
  expect(argv('gemini', 'all')).toContain('--approval-mode yolo');
});

test('a sandboxed agent has a shell; claude gets the settings of its own sandbox', () => {
  verifies('workers.ai.agent-sandbox');
  const places = { hidden: ['/home/u/.ssh'], readable: ['/home/u/.nvm'] };
  const asked = { ...PLAIN, approvals: 'sandboxed', model: null, args: [], resume: null } as const;
  const flags = PRESETS.claude.argv({ ...asked, ownSandbox: { places, hosts: ['packages.example.com'] } });
  expect(JSON.parse(flags[flags.indexOf('--settings') + 1] ?? '')).toEqual({
    sandbox: {
      enabled: true,
      failIfUnavailable: true,
      autoAllowBashIfSandboxed: true,
      allowUnsandboxedCommands: false,
      excludedCommands: [],
      filesystem: { denyRead: places.hidden, allowRead: places.readable },
      network: { allowedDomains: ['packages.example.com'] },
    },
  });
  expect(flags[flags.indexOf('--permission-mode') + 1]).toBe('acceptEdits');
  expect(flags[flags.indexOf('--tools') + 1]?.split(',')).toEqual(expect.arrayContaining(['Bash', 'Edit']));
  expect(argv('codex', 'sandboxed')).toContain('-c sandbox_workspace_write.network_access=false');
  expect(argv('codex', 'sandboxed')).not.toContain('danger-full-access');
  expect(argv('gemini', 'sandboxed')).toContain('--approval-mode yolo');
});

describe('the manifest', () => {
  const compiled = (worker: object) => {
    const nodes = { Main: { entry_block: 'A', blocks: { A: { worker: 'Worker:A' } } } };
    return compiledText({ version: 1, nodes, workers: { 'Worker:A': { kind: 'agent', ...worker } } });
  };
  const codes = (worker: object) => compiled(worker).diagnostics.map(({ code }) => code);

  test('needs a program, of a known name', () => {
    expect(codes({})).toContain('RS2035');
    expect(codes({ preset: 'claud' })).toEqual(['RS1012']);
    expect(codes({ command: ['aider'] })).toEqual([]);
  });

  test.each([
    [{ preset: 'claude', args: ['--dangerously-skip-permissions'] }],
    [{ preset: 'claude', args: ['--permission-mode=bypassPermissions'] }],
    [{ preset: 'claude', command: ['claude', '--allowedTools', 'Bash'] }],
    [{ preset: 'codex', args: ['-c', 'sandbox_mode="danger-full-access"'] }],
    [{ preset: 'codex', args: ['-sdanger-full-access'] }],
    [{ preset: 'codex', args: ['--config=approval_policy="on-request"'] }],
    [{ preset: 'gemini', command: ['gemini', '-y'] }],
    [{ preset: 'claude', args: ['--mcp-config', 'e.json'] }],
    [{ preset: 'claude', args: ['--plugin-dir', '.'] }],
    [{ preset: 'claude', args: ['--max-turns', '--mcp-config'] }],
    [{ preset: 'claude', args: ['--setting-sources', 'user,project'] }],
    [{ preset: 'claude', args: ['prompt'] }],
    [{ preset: 'claude', args: ['--', 'mcp'] }],
    [{ preset: 'claude', command: ['npx', '-y', '@anthropic-ai/claude-code@2', '--mcp-config', 'e.json'] }],
    [{ preset: 'claude', command: ['C:\\bin\\claude.CMD', '--settings', 'e.json'] }],
    [{ preset: 'codex', args: ['-c', 'notify=["id"]'] }],
    [{ preset: 'codex', args: ['-cnotify=["id"]'] }],
    [{ preset: 'codex', args: ['-c', 'mcp_servers.x.command="id"'] }],
    [{ preset: 'codex', args: ['-c', 'model_providers.x={base_url="u",auth={command="id"}}'] }],
    [{ preset: 'codex', args: ['-c', 'model="m"\nnotify=["id"]'] }],
    [{ preset: 'codex', args: ['--enable', 'hooks'] }],
    [{ preset: 'codex', args: ['--trust'] }],
    [{ preset: 'gemini', args: ['-dy'] }],
    [{ preset: 'gemini', args: ['--allowedTools=run_shell_command'] }],
    [{ preset: 'gemini', args: ['--policy', 'p.toml'] }],
  ])('can not say more by its arguments: %j', (worker) => {
    verifies('workers.ai.agent-approvals');
    expect(codes(worker)).toEqual(['RS2036']);
  });

  test.each([
    [{ preset: 'codex', network: ['example.com'] }, 'RS2059'],
    [{ preset: 'claude', approvals: 'edit', network: ['example.com'] }, 'RS2059'],
    [{ command: ['aider'], network: ['example.com'] }, 'RS2059'],
    [{ preset: 'claude', approvals: 'sandboxed', network: ['http://example.com/'] }, 'RS1013'],
    [{ preset: 'gemini', approvals: 'sandboxed', state: ['~/.gemini'] }, 'RS2059'],
    [{ command: ['aider'], state: ['~/.aider'] }, 'RS2059'],
    [{ command: ['aider'], approvals: 'sandboxed', state: ['../x'] }, 'RS1013'],
    [{ preset: 'claude', signals: { 0: 'SIGNAL:SUCCESS' } }, 'RS2059'],
  ])('refuses settings without an effect: %j', (worker, code) => {
    expect(codes(worker)).toEqual([code]);
  });

  test('takes settings of a sandbox where they have an effect', () => {
    expect(codes({ preset: 'claude', network: ['packages.example.com', '*.example.com'] })).toEqual([]);
    expect(codes({ command: ['aider'], approvals: 'sandboxed', state: ['~/.aider', '/opt/aider'] })).toEqual([]);
  });

  test('may say all else', () => {
    expect(codes({ preset: 'gemini', command: ['npx', '-y', '@google/gemini-cli'], args: ['--debug'] })).toEqual([]);
    expect(codes({ preset: 'claude', args: ['--max-turns', '5', '--setting-sources', 'user'] })).toEqual([]);
    expect(
      codes({ preset: 'codex', args: ['-c', 'model_reasoning_effort="high"', '--config=model_verbosity=low'] }),
    ).toEqual([]);
    const endpoint = 'model_providers.local={name="l",base_url="http://h/v1",env_key="K",wire_api="responses"}';
    expect(codes({ preset: 'codex', args: ['-c', endpoint, '-c', 'model_provider="local"'] })).toEqual([]);
    for (const name of AGENTS) expect(refusedArgument(name, ['--model', 'x'])).toBeNull();
  });
});

describe('the level in force', () => {
  const block = (mode: 'strict' | 'partial' | 'shared', paths: readonly string[], params: object = {}) =>
    ({ access: { mode, paths }, params }) as unknown as GraphBlock;
  const worker = (settings: object) =>
    ({ name: 'W', settings: { preset: 'claude', ...settings } }) as unknown as WorkerDefinition;
  const level = (settings: object, of: GraphBlock, most: Approvals = 'all', probe: SandboxProbe = NONE) =>
    readAgentSettings(worker(settings), of, most, probe).approvals;

  test('is the least of all that was said', () => {
    verifies('workers.ai.agent-approvals');
    const src = block('partial', ['src/**']);
    expect(level({}, src)).toBe('edit');
    expect(level({ approvals: 'all' }, src)).toBe('all');
    expect(level({ approvals: 'all' }, src, 'edit')).toBe('edit');
    expect(level({ approvals: 'edit' }, src, 'all')).toBe('edit');
    expect(level({ approvals: 'all' }, block('partial', ['src/**'], { approvals: 'read' }))).toBe('read');
    expect(level({ approvals: 'edit' }, block('shared', [], { approvals: 'all' }))).toBe('edit');
    expect(level({ approvals: 'all' }, block('shared', [], { approvals: 'everything' }))).toBe('read');
  });

  test('an agent is offered code analysis, unless its worker turns it off or its preset can take none', () => {
    verifies('workers.ai.agent-analysis');
    const src = block('partial', ['src/**']);
    const isOffered = (settings: object) => readAgentSettings(worker(settings), src, 'all', NONE).hasAnalysis;
    expect(isOffered({})).toBe(true);
    expect(isOffered({ preset: 'codex', code_analysis: true })).toBe(true);
    expect([false, 'FALSE'].map((code_analysis) => isOffered({ code_analysis }))).toEqual([false, false]);
    expect(isOffered({ preset: 'gemini' })).toBe(false);
    expect(isOffered({ preset: undefined, command: ['aider'] })).toBe(false);
  });

  test('is "sandboxed" by default where the sandbox can be made and closes the network', () => {
    verifies('workers.ai.agent-sandbox');
    const src = block('partial', ['src/**']);
    const codexOnly: SandboxProbe = { ...ANY, troubles: { claude: { problem: 'no socat', advice: '' } } };
    expect(level({}, src, 'all', ANY)).toBe('sandboxed');
    expect(level({ preset: 'codex' }, src, 'all', codexOnly)).toBe('sandboxed');
    expect([level({}, src, 'all', codexOnly), level({}, src, 'all', NONE)]).toEqual(['edit', 'edit']);
    expect(level({ preset: 'gemini' }, src, 'all', ANY)).toBe('edit');
    expect(level({ preset: undefined, command: ['aider'] }, src, 'all', ANY)).toBe('edit');
    expect(level({}, src, 'edit', ANY)).toBe('edit');
    expect(level({ approvals: 'all' }, src, 'sandboxed', ANY)).toBe('sandboxed');
    expect(level({}, block('strict', []), 'all', ANY)).toBe('read');
  });

  test('is not lowered in silence where the manifest wants a sandbox that can not be made', () => {
    verifies('workers.ai.agent-sandbox');
    const src = block('partial', ['src/**']);
    expect(() => level({ approvals: 'sandboxed' }, src)).toThrow(
      'W needs a sandbox, but bwrap was not found. Install it. Without a sandbox, write "approvals": "edit", or run with --approvals edit.',
    );
    expect(level({ approvals: 'sandboxed' }, block('strict', []))).toBe('read');
    expect(level({ approvals: 'sandboxed' }, src, 'edit')).toBe('edit');
  });

  test('who may write nothing may only look', () => {
    expect(level({ approvals: 'all' }, block('strict', []))).toBe('read');
    expect(level({}, block('partial', []))).toBe('read');
  });

  test('a node binds the nodes that it calls, and theirs', () => {
    verifies('workers.ai.agent-approvals');
    const node = (approvals: string | null, blocks: object) => ({
      entry_block: 'A',
      ...(approvals === null ? {} : { approvals }),
      blocks,
    });
    const call = (target: string) => ({
      worker: 'Internal:TestRunner',
      transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: target }],
    });
    const nodes = {
      Main: node(null, { A: call('CALL:Careful') }),
      Careful: node('read', { A: call('FORK:Deep,Other') }),
      Deep: node('all', { A: call('RETURN') }),
      Other: node(null, { A: call('RETURN') }),
    };
    const { workflow } = compiledText({ version: 1, commands: { test: ['true'] }, nodes });
    if (workflow === null) throw new Error('the manifest has errors');
    const index = indexGraph(workflow.graph);
    const most = (name: string, frame: string) =>
      mostApprovals(index, { node: name as NodeId, frame: frame as FramePath });
    expect(most('Main', '/')).toBe('all');
    expect(most('Careful', '/Main__A#1')).toBe('read');
    expect(most('Deep', '/Main__A#1/Careful__A#1[0]')).toBe('read');
    expect(most('Other', '/Main__A#1/Careful__A#2[1]')).toBe('read');
    expect(most('Deep', '/')).toBe('all');
  });
});
