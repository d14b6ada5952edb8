import type { AgentName, Approvals } from '#protocol/approvals.ts';
import type { AnalysisServer } from '#protocol/agent.ts';
import type { ProviderName } from '#protocol/ai-call.ts';
import type { ReadEvent } from './agent-report.ts';
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
  /** Environment variables that locate the agent's settings and login. They are passed on and must not hold secrets. */
  readonly env: readonly string[];
  /** Environment variables that are always set to these values for the agent. */
  readonly set: Readonly<Record<string, string>>;
  /** False if passing a server to the agent would also start the servers that the repository names. */
  readonly takesServer: boolean;
  argv(asked: AgentInvocation): readonly string[];
  readonly read: ReadEvent;
}

/** The name of the code-analysis server in an agent's configuration. Agents prefix the names of its tools with it. */
const SERVER = 'robosmith';

const model = (name: string | null): readonly string[] => (name === null ? [] : ['--model', name]);

/**
 * Tools are denied explicitly: a denial takes precedence over permissions in the user's or the project's settings, also
 * in sub-agents.
 */
const CLAUDE: Readonly<Record<Approvals, readonly string[]>> = {
  read: ['--permission-mode', 'default', '--disallowedTools', 'Bash,PowerShell,Edit,MultiEdit,Write,NotebookEdit'],
  edit: ['--permission-mode', 'acceptEdits', '--disallowedTools', 'Bash,PowerShell'],
  all: ['--permission-mode', 'bypassPermissions'],
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
  env: ['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
  set: {},
  takesServer: true,
  argv: ({ approvals, model: name, args, resume, analysis }) => [
    ...['-p', ...CLAUDE_USER_ONLY, ...claudeServer(analysis)],
    ...CLAUDE[approvals],
    ...['--output-format', 'stream-json', '--verbose'],
    ...model(name),
    ...args,
    ...(resume === null ? [] : ['--resume', resume]),
  ],
  read: readClaude,
};

const CODEX: Readonly<Record<Approvals, string>> = {
  read: 'read-only',
  edit: 'workspace-write',
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
  env: ['CODEX_HOME'],
  set: {},
  // The sandbox is also passed as a setting, because not every version of codex applies the flag `--sandbox` to
  // `resume`.
  takesServer: true,
  argv: ({ approvals, model: name, args, resume, folder, analysis }) => [
    ...['exec', '--json', '--skip-git-repo-check', '--sandbox', CODEX[approvals]],
    ...['-c', `sandbox_mode="${CODEX[approvals]}"`, '-c', 'approval_policy="never"'],
    ...['-c', trustingNone(folder)],
    ...codexServer(analysis),
    ...(approvals === 'edit' ? ['-c', 'sandbox_workspace_write.network_access=false'] : []),
    ...model(name),
    ...args,
    ...(resume === null ? [] : ['resume', resume]),
    '-',
  ],
  read: readCodex,
};

const GEMINI: Readonly<Record<Approvals, string>> = { read: 'plan', edit: 'auto_edit', all: 'yolo' };

const gemini: Preset = {
  name: 'gemini',
  provider: 'google',
  program: 'gemini',
  install: 'npm install --global @google/gemini-cli',
  login: 'start `gemini` once and log in, or set GEMINI_API_KEY and name it in the worker\'s "env"',
  env: ['GEMINI_CLI_HOME', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_GENAI_USE_VERTEXAI'],
  // This variable makes Gemini CLI treat the folder as untrusted and ignore its `.gemini/settings.json`. With
  // `--skip-trust` Gemini CLI works there nevertheless.
  set: { GEMINI_CLI_TRUST_WORKSPACE: 'false' },
  // Gemini CLI starts MCP servers only in a trusted folder, and there it also starts those from the repository's
  // settings.
  takesServer: false,
  argv: ({ approvals, model: name, args, resume }) => [
    ...['--output-format', 'stream-json', '--approval-mode', GEMINI[approvals], '--skip-trust'],
    ...model(name),
    ...args.filter((arg) => arg !== '--skip-trust'),
    ...(resume === null ? [] : ['--resume', resume]),
  ],
  read: readGemini,
};

export const PRESETS: Readonly<Record<AgentName, Preset>> = { claude, codex, gemini };
