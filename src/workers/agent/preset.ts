import type { AgentName, Approvals } from '#protocol/approvals.ts';
import type { ProviderName } from '#protocol/ai-call.ts';
import type { ReadEvent } from './heard.ts';
import { readClaude } from './read-claude.ts';
import { readCodex } from './read-codex.ts';
import { readGemini } from './read-gemini.ts';

export interface Asked {
  readonly approvals: Approvals;
  readonly model: string | null;
  /** The manifest's own `args`. */
  readonly args: readonly string[];
  /** The agent's id of the conversation that goes on; null: a new one. */
  readonly resume: string | null;
  /** Where it works: absolute, without links. */
  readonly folder: string;
}

/** A coding agent whose command line we know; docs/agents.md says from where. */
export interface Preset {
  readonly name: AgentName;
  readonly provider: ProviderName;
  readonly program: string;
  /** What to type when it is not there. */
  readonly install: string;
  /** What to do when nobody is logged in. */
  readonly login: string;
  /** Where it keeps its settings and its login; no secrets. */
  readonly env: readonly string[];
  /** Variables that are set whatever the environment says. */
  readonly set: Readonly<Record<string, string>>;
  argv(asked: Asked): readonly string[];
  readonly read: ReadEvent;
}

const model = (name: string | null): readonly string[] => (name === null ? [] : ['--model', name]);

/** A rule that denies wins over any that the user's or the project's settings allow, also in its sub-agents. */
const CLAUDE: Readonly<Record<Approvals, readonly string[]>> = {
  read: ['--permission-mode', 'default', '--disallowedTools', 'Bash,PowerShell,Edit,MultiEdit,Write,NotebookEdit'],
  edit: ['--permission-mode', 'acceptEdits', '--disallowedTools', 'Bash,PowerShell'],
  all: ['--permission-mode', 'bypassPermissions'],
};

/** The settings, hooks and MCP servers of a repository are written by whoever can write to it: `-p` starts them without a question. */
const CLAUDE_USER_ONLY = ['--setting-sources', 'user', '--strict-mcp-config'];

const claude: Preset = {
  ...{ name: 'claude', provider: 'anthropic', program: 'claude' },
  install: 'npm install --global @anthropic-ai/claude-code',
  login: 'start `claude` once and type /login, or set ANTHROPIC_API_KEY and name it in the worker\'s "env"',
  env: ['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
  set: {},
  argv: ({ approvals, model: name, args, resume }) => [
    ...['-p', ...CLAUDE_USER_ONLY],
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

/** A folder and all above it, without a separator at the end. */
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

/** codex starts the MCP servers and hooks of each `.codex` folder above its own that the user trusts. Here it trusts none. */
const trustingNone = (folder: string): string =>
  `projects={${upwards(folder)
    .map((one) => `${JSON.stringify(one)}={trust_level="untrusted"}`)
    .join(',')}}`;

const codex: Preset = {
  ...{ name: 'codex', provider: 'openai', program: 'codex' },
  install: 'npm install --global @openai/codex',
  login: 'start `codex login` once, or set CODEX_API_KEY and name it in the worker\'s "env"',
  env: ['CODEX_HOME'],
  set: {},
  // The sandbox is written as a setting as well: versions differ in whether `resume` takes the flag over.
  argv: ({ approvals, model: name, args, resume, folder }) => [
    ...['exec', '--json', '--skip-git-repo-check', '--sandbox', CODEX[approvals]],
    ...['-c', `sandbox_mode="${CODEX[approvals]}"`, '-c', 'approval_policy="never"'],
    ...['-c', trustingNone(folder)],
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
  ...{ name: 'gemini', provider: 'google', program: 'gemini' },
  install: 'npm install --global @google/gemini-cli',
  login: 'start `gemini` once and log in, or set GEMINI_API_KEY and name it in the worker\'s "env"',
  env: ['GEMINI_CLI_HOME', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_GENAI_USE_VERTEXAI'],
  // It reads its settings as those of a folder that is not trusted, without `.gemini/settings.json`; the flag lets it work there.
  set: { GEMINI_CLI_TRUST_WORKSPACE: 'false' },
  argv: ({ approvals, model: name, args, resume }) => [
    ...['--output-format', 'stream-json', '--approval-mode', GEMINI[approvals], '--skip-trust'],
    ...model(name),
    ...args.filter((arg) => arg !== '--skip-trust'),
    ...(resume === null ? [] : ['--resume', resume]),
  ],
  read: readGemini,
};

export const PRESETS: Readonly<Record<AgentName, Preset>> = { claude, codex, gemini };
