import { fileURLToPath } from 'node:url';
import type { AgentName } from '../../src/protocol/approvals.ts';

/** A request from the model to call one of the agent's tools. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/** A real agent: how it is connected to a local model server, and which of its tools writes files. */
export interface RealAgent {
  readonly name: AgentName;
  /** The name of the model in the worker's settings. */
  readonly model: string;
  readonly args: (url: string) => readonly string[];
  /** The agent's environment variables; the worker's `env` lists their names. */
  readonly env: (url: string, key: string) => Readonly<Record<string, string>>;
  readonly write: (file: string, text: string) => ToolCall;
  /** Returns a call of the tool that runs a command. */
  readonly run: (command: string) => ToolCall;
  /** Returns a call of a tool of the code-analysis server; null if the agent can't be given the server. */
  readonly analyse: ((tool: string, args: ToolCall['arguments']) => ToolCall) | null;
  /** The endpoint of the program's own default. */
  readonly endpoint: string;
  /** The arguments with which a user starts it for one prompt on stdin. */
  readonly alone: readonly string[];
  /** Places whose files redirect the program when it is started without RoboSmith. */
  readonly redirectedBy: readonly string[];
  /** The token usage of one answer in the provider's format: 100 input and 10 output tokens. */
  readonly usage: Readonly<Record<string, number>>;
}

const codexSettings = (url: string): readonly string[] => [
  `model_providers.local={name="local",base_url="${url}/v1",env_key="CODEX_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
  'model_provider="local"',
];

export const AGENTS: readonly RealAgent[] = [
  {
    name: 'claude',
    model: 'claude-sonnet-4-5',
    args: () => [],
    env: (url, key) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_MAX_RETRIES: '0',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    write: (file, content) => ({ name: 'Write', arguments: { file_path: file, content } }),
    run: (command) => ({ name: 'Bash', arguments: { command } }),
    analyse: (tool, args) => ({ name: `mcp__robosmith__${tool}`, arguments: args }),
    endpoint: 'api.anthropic.com:443',
    alone: ['-p'],
    redirectedBy: ['.'],
    usage: { input_tokens: 100, output_tokens: 10 },
  },
  {
    name: 'codex',
    model: 'gpt-5',
    args: (url) => codexSettings(url).flatMap((setting) => ['-c', setting]),
    env: (_, key) => ({ CODEX_API_KEY: key }),
    write: (file, text) => ({ name: 'exec_command', arguments: { cmd: `printf %s '${text}' > '${file}'` } }),
    run: (command) => ({ name: 'exec_command', arguments: { cmd: command } }),
    analyse: (tool, args) => ({ name: `mcp__robosmith__${tool}`, arguments: args }),
    endpoint: 'api.openai.com:443',
    alone: ['exec', '--skip-git-repo-check', '-'],
    // This version of codex ignores endpoints in the settings of a project.
    redirectedBy: [],
    usage: { input_tokens: 100, output_tokens: 10 },
  },
  {
    name: 'gemini',
    model: 'gemini-2.5-flash',
    args: () => [],
    env: (url, key) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key }),
    write: (file, content) => ({ name: 'write_file', arguments: { file_path: file, content } }),
    run: (command) => ({ name: 'run_shell_command', arguments: { command } }),
    analyse: null,
    endpoint: 'generativelanguage.googleapis.com:443',
    alone: ['--skip-trust', '--model', 'gemini-2.5-flash'],
    redirectedBy: ['.', '..'],
    usage: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
  },
];

const ON_WINDOWS = process.platform === 'win32';

/**
 * Returns the path of the agent's program. For claude it is not the program that npm links: that one is a placeholder,
 * because the installation script that replaces it is not run.
 */
export function programOf({ name }: RealAgent): string {
  const native = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude${ON_WINDOWS ? '.exe' : ''}`;
  const file = name === 'claude' ? native : `.bin/${name}${ON_WINDOWS ? '.cmd' : ''}`;
  return fileURLToPath(new URL(`node_modules/${file}`, import.meta.url));
}

/** Settings for Gemini CLI: the login method, which it would otherwise ask for, and a limit on its retries. */
export const GEMINI_SETTINGS = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  general: { enableAutoUpdate: false, maxAttempts: 1 },
};
