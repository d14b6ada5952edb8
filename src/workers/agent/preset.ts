import type { AgentName, Approvals } from '#protocol/approvals.ts';
import type { AnalysisServer } from '#protocol/agent.ts';
import type { ProviderName } from '#protocol/provider.ts';
import type { PrivatePlaces } from '#protocol/sandbox.ts';
import type { ReadEvent } from './agent-report.ts';
import { claudeSandbox } from './claude-sandbox.ts';
import { readClaude } from './read-claude.ts';
import { readCodex } from './read-codex.ts';
import { readGemini } from './read-gemini.ts';

interface AgentInvocation {
  readonly approvals: Approvals;
  readonly model: string | null;
  /** The `args` of the worker in the manifest. */
  readonly args: readonly string[];
  /** The id that the agent gave to the conversation to resume; null for a new conversation. */
  readonly resume: string | null;
  /** The agent's working directory: an absolute path without symbolic links. */
  readonly folder: string;
  /** The code-analysis server that the agent may use, or null for none. */
  readonly analysis: AnalysisServer | null;
  /** What the agent's own sandbox has to hide and to allow; null if the agent makes none of its own. */
  readonly ownSandbox: { readonly places: PrivatePlaces; readonly hosts: readonly string[] } | null;
}

/** A coding agent with a known command line. docs/reference/agents.md lists the sources. */
export interface Preset {
  readonly name: AgentName;
  readonly provider: ProviderName;
  readonly program: string;
  /** The command that installs the agent, shown when its program is not found. */
  readonly install: string;
  /** How to log in, shown when the agent is not logged in. */
  readonly login: string;
  /** The file with the project's rules that the program reads by itself, also in an untrusted folder; null if none. */
  readonly ownRules: string | null;
  /** False if passing a server to the agent would also start the servers that the repository names. */
  readonly takesServer: boolean;
  /**
   * What makes the sandbox of `sandboxed`: the agent's `own` one, for the commands that it runs, or a `wrapper` around the
   * whole program.
   */
  readonly sandbox: 'own' | 'wrapper';
  /** Whether the agent also runs commands with `read` and `edit`, in its own sandbox. */
  readonly alwaysRuns: boolean;
  /** Whether the sandbox keeps the agent's commands from the network, so that `sandboxed` is the default. */
  readonly closesNetwork: boolean;
  /** Places of the program's login and history, which it may write inside of the wrapper. */
  readonly state: readonly string[];
  /** Folders of its settings, which it sees inside of the wrapper. */
  readonly settings: readonly string[];
  argv(asked: AgentInvocation): readonly string[];
  readonly read: ReadEvent;
  /** Which of the reported figures count all calls of a resumed conversation. */
  readonly cumulative: { readonly cost: boolean; readonly usage: boolean };
}

/** The name of the code-analysis server in an agent's configuration. Agents prefix the names of its tools with it. */
const SERVER = 'robosmith';

const model = (name: string | null): readonly string[] => (name === null ? [] : ['--model', name]);

/**
 * The built-in tools of claude that stay in the block's folder and end with its process. All others are switched off,
 * also those that later versions add: tools that enter or make worktrees, schedule work, send messages, or start
 * sub-agents, which can work in a worktree or a remote environment of their own.
 */
const READING = ['Read', 'Glob', 'Grep', 'LSP', 'WebFetch', 'WebSearch', 'Skill', 'ToolSearch'];
const TASK_LIST = ['TodoWrite', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'];
const WRITING = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'];
const SHELL = ['Bash', 'PowerShell', 'BashOutput', 'KillShell', 'TaskOutput', 'TaskStop', 'Monitor'];

/**
 * Returns the flags for the tools of claude. The denied ones are denied explicitly too, because a denial takes
 * precedence over permissions in the user's settings.
 */
const claudeTools = (mode: string, tools: readonly string[], denied: readonly string[]): readonly string[] => [
  ...['--permission-mode', mode, '--tools', [...READING, ...TASK_LIST, ...tools].join(',')],
  ...(denied.length === 0 ? [] : ['--disallowedTools', denied.join(',')]),
];

const CLAUDE: Readonly<Record<Approvals, readonly string[]>> = {
  read: claudeTools('default', [], ['Bash', 'PowerShell', ...WRITING]),
  edit: claudeTools('acceptEdits', WRITING, ['Bash', 'PowerShell']),
  sandboxed: claudeTools('acceptEdits', [...WRITING, ...SHELL.filter((tool) => tool !== 'PowerShell')], ['PowerShell']),
  all: claudeTools('bypassPermissions', [...WRITING, ...SHELL], []),
};

/**
 * Restricts claude to the user's own settings. Settings, hooks and MCP servers in the repository can be written by
 * anyone with write access to it, and `claude -p` starts them without asking.
 */
const CLAUDE_USER_ONLY = ['--setting-sources', 'user', '--strict-mcp-config'];

/**
 * Returns the flags that add the code-analysis server and permit its tools, which only read. Both flags take a list, so
 * another flag must follow.
 */
const claudeServer = (server: AnalysisServer | null): readonly string[] =>
  server === null
    ? []
    : [
        ...['--mcp-config', JSON.stringify({ mcpServers: { [SERVER]: { type: 'stdio', ...server } } })],
        ...['--allowedTools', `mcp__${SERVER}`],
      ];

const claude: Preset = {
  name: 'claude',
  provider: 'anthropic',
  program: 'claude',
  install: 'npm install --global @anthropic-ai/claude-code',
  login: 'start `claude` once and type /login, or set ANTHROPIC_API_KEY and name it in the worker\'s "env"',
  ownRules: null,
  takesServer: true,
  sandbox: 'own',
  alwaysRuns: false,
  closesNetwork: true,
  state: [],
  settings: [],
  argv: ({ approvals, model: name, args, resume, analysis, ownSandbox }) => [
    ...['-p', ...CLAUDE_USER_ONLY, ...claudeServer(analysis)],
    ...CLAUDE[approvals],
    ...(ownSandbox === null ? [] : claudeSandbox(ownSandbox.places, ownSandbox.hosts)),
    ...['--output-format', 'stream-json', '--verbose'],
    ...model(name),
    ...args,
    ...(resume === null ? [] : ['--resume', resume]),
  ],
  read: readClaude,
  cumulative: { cost: true, usage: false },
};

const CODEX: Readonly<Record<Approvals, string>> = {
  read: 'read-only',
  edit: 'workspace-write',
  // The wrapper hides what codex's own sandbox lets commands read; that one keeps them from the network.
  sandboxed: 'workspace-write',
  all: 'danger-full-access',
};

const MOST_FOLDERS = 200;

/** Returns a folder and all its parent folders, without trailing separators. */
function upwards(folder: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; folders.length < MOST_FOLDERS;) {
    const end = Math.max(at.lastIndexOf('/'), at.lastIndexOf('\\'));
    if (end <= 0) return folders;
    at = at.slice(0, end);
    folders.push(at);
  }
  return folders;
}

/**
 * Returns a setting that marks the folder and all its parents as untrusted. Otherwise codex starts the MCP servers and
 * hooks of every `.codex` folder that the user trusts.
 */
const trustingNone = (folder: string): string =>
  `projects={${upwards(folder)
    .map((one) => `${JSON.stringify(one)}={trust_level="untrusted"}`)
    .join(',')}}`;

/** Seconds that codex waits for the server's handshake. Its default of 10 is too short for a busy machine. */
const CODEX_STARTUP = 30;

/** Returns a setting that adds the code-analysis server. A JSON string is also a TOML string. */
function codexServer(server: AnalysisServer | null): readonly string[] {
  if (server === null) return [];
  const { command, args, env } = server;
  const variables = Object.entries(env).map(([key, value]) => `${JSON.stringify(key)}=${JSON.stringify(value)}`);
  const settings = [
    `command=${JSON.stringify(command)}`,
    `args=${JSON.stringify(args)}`,
    `env={${variables.join(',')}}`,
    `startup_timeout_sec=${CODEX_STARTUP}`,
  ];
  return ['-c', `mcp_servers.${SERVER}={${settings.join(',')}}`];
}

const codex: Preset = {
  name: 'codex',
  provider: 'openai',
  program: 'codex',
  install: 'npm install --global @openai/codex',
  login: 'start `codex login` once, or set CODEX_API_KEY and name it in the worker\'s "env"',
  // The sandbox is also passed as a setting, because not every version of codex applies the flag `--sandbox` to
  // `resume`.
  ownRules: null,
  takesServer: true,
  sandbox: 'wrapper',
  alwaysRuns: true,
  closesNetwork: true,
  // Its own sandbox keeps its commands from writing there.
  state: ['~/.codex', '$CODEX_HOME'],
  settings: [],
  argv: ({ approvals, model: name, args, resume, folder, analysis }) => [
    ...['exec', '--json', '--skip-git-repo-check', '--sandbox', CODEX[approvals]],
    ...['-c', `sandbox_mode="${CODEX[approvals]}"`, '-c', 'approval_policy="never"'],
    ...['-c', trustingNone(folder)],
    ...codexServer(analysis),
    ...(CODEX[approvals] === 'workspace-write' ? ['-c', 'sandbox_workspace_write.network_access=false'] : []),
    ...model(name),
    ...args,
    ...(resume === null ? [] : ['resume', resume]),
    '-',
  ],
  read: readCodex,
  cumulative: { cost: false, usage: true },
};

const GEMINI: Readonly<Record<Approvals, string>> = {
  read: 'plan',
  edit: 'auto_edit',
  sandboxed: 'yolo',
  all: 'yolo',
};

const gemini: Preset = {
  name: 'gemini',
  provider: 'google',
  program: 'gemini',
  install: 'npm install --global @google/gemini-cli',
  login: 'start `gemini` once and log in, or set GEMINI_API_KEY and name it in the worker\'s "env"',
  // Gemini CLI starts MCP servers only in a trusted folder, and there it also starts those from the repository's
  // settings.
  ownRules: 'GEMINI.md',
  takesServer: false,
  sandbox: 'wrapper',
  alwaysRuns: false,
  closesNetwork: false,
  state: ['~', '$GEMINI_CLI_HOME'].flatMap((home) =>
    ['tmp', 'oauth_creds.json', 'google_accounts.json'].map((name) => `${home}/.gemini/${name}`),
  ),
  settings: ['~/.gemini', '$GEMINI_CLI_HOME/.gemini'],
  argv: ({ approvals, model: name, args, resume }) => [
    ...['--output-format', 'stream-json', '--approval-mode', GEMINI[approvals], '--skip-trust'],
    ...model(name),
    ...args.filter((arg) => arg !== '--skip-trust'),
    ...(resume === null ? [] : ['--resume', resume]),
  ],
  read: readGemini,
  cumulative: { cost: false, usage: false },
};

export const PRESETS: Readonly<Record<AgentName, Preset>> = { claude, codex, gemini };
