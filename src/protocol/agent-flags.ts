import { type AgentName, type Approvals, APPROVALS } from './approvals.ts';

/** Returns the most restrictive of several settings, or `all` for an empty list. */
export const leastApprovals = (said: readonly Approvals[]): Approvals =>
  APPROVALS.find((one) => said.includes(one)) ?? 'all';

interface AllowedFlags {
  /** Flags without a value. */
  readonly alone: readonly string[];
  /** Flags with one value, and the pattern that the whole value has to match. */
  readonly valued: Readonly<Record<string, RegExp>>;
}

const ANY_VALUE = /^[^]*$/;

const SCALAR = String.raw`(?:"[^"\\\n]*"|[\w.+-]+)`;

/**
 * The allowed settings of a codex model provider. Its other settings can name a command that returns the key, or
 * additional headers.
 */
const ENDPOINT_KEY =
  '(?:name|base_url|env_key|wire_api|request_max_retries|stream_max_retries|stream_idle_timeout_ms|requires_openai_auth)';

const MODEL_KEY = [
  ...['model', 'model_provider', 'model_reasoning_effort', 'model_reasoning_summary', 'model_verbosity'],
  ...['model_context_window', 'model_auto_compact_token_limit', 'model_supports_reasoning_summaries'],
  ...['service_tier', 'tool_output_token_limit', 'hide_agent_reasoning', 'show_raw_agent_reasoning', 'personality'],
].join('|');

/** The settings that codex's `-c` option may change: the model, its behaviour and its endpoint. */
const CODEX_SETTING = new RegExp(
  [
    `^(?:${MODEL_KEY})\\s*=\\s*${SCALAR}$`,
    `^model_providers\\.[\\w-]+\\.${ENDPOINT_KEY}\\s*=\\s*${SCALAR}$`,
    `^model_providers\\.[\\w-]+\\s*=\\s*\\{\\s*${ENDPOINT_KEY}\\s*=\\s*${SCALAR}(?:\\s*,\\s*${ENDPOINT_KEY}\\s*=\\s*${SCALAR})*\\s*\\}$`,
  ].join('|'),
);

/**
 * The flags that a manifest may add to the command line of a preset. This is an allow-list, because a list of forbidden
 * flags would have to cover every version of every program. Other flags could load settings, hooks, plugins or MCP
 * servers, which run commands.
 */
const ALLOWED: Readonly<Record<AgentName, AllowedFlags>> = {
  claude: {
    alone: [
      ...['--verbose', '--include-partial-messages', '--disable-slash-commands', '--strict-mcp-config', '--bare'],
      '--exclude-dynamic-system-prompt-sections',
    ],
    valued: {
      '--model': ANY_VALUE,
      '--fallback-model': ANY_VALUE,
      '--max-turns': ANY_VALUE,
      '--max-budget-usd': ANY_VALUE,
      '--effort': ANY_VALUE,
      '--autocompact': ANY_VALUE,
      '--system-prompt': ANY_VALUE,
      '--append-system-prompt': ANY_VALUE,
      '--setting-sources': /^user$/,
    },
  },
  codex: {
    alone: ['--oss', '--strict-config', '--ignore-user-config'],
    valued: {
      '--model': ANY_VALUE,
      '-m': ANY_VALUE,
      '--local-provider': ANY_VALUE,
      '--color': ANY_VALUE,
      '--config': CODEX_SETTING,
      '-c': CODEX_SETTING,
    },
  },
  gemini: {
    alone: ['--debug', '-d', '--skip-trust', '--screen-reader'],
    valued: { '--model': ANY_VALUE, '-m': ANY_VALUE, '--extensions': ANY_VALUE, '-e': ANY_VALUE },
  },
};

/**
 * Checks one argument, with the next one as its possible value. Returns the number of arguments consumed, or 0 if the
 * argument is refused.
 */
function accept(arg: string, next: string | undefined, { alone, valued }: AllowedFlags): 0 | 1 | 2 {
  if (alone.includes(arg)) return 1;
  const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
  const flag = equals < 0 ? arg : arg.slice(0, equals);
  const pattern = Object.hasOwn(valued, flag) ? valued[flag] : undefined;
  if (pattern === undefined) return 0;
  if (equals >= 0) return pattern.test(arg.slice(equals + 1)) ? 1 : 0;
  // Some of the programs read a value that begins with a dash as another flag.
  return next !== undefined && !next.startsWith('-') && pattern.test(next) ? 2 : 0;
}

/** The programs of the presets, and the packages by which a launcher such as `npx` starts them. */
const PROGRAM: Readonly<Record<AgentName, RegExp>> = {
  claude: /(?:^|[/\\])(?:claude|claude-code(?:@[^/\\]*)?)(?:\.\w+)?$/i,
  codex: /(?:^|[/\\])codex(?:@[^/\\]*)?(?:\.\w+)?$/i,
  gemini: /(?:^|[/\\])(?:gemini|gemini-cli(?:@[^/\\]*)?)(?:\.\w+)?$/i,
};

/** Launchers: programs that start another program, which is named after the launcher's own flags. */
const LAUNCHER = /(?:^|[/\\])(?:npx|bunx|pnpx|npm|pnpm|yarn|bun|env|nice|nohup|time|sudo|mise|volta)(?:\.\w+)?$/i;

/**
 * Returns the arguments that `command` passes to the agent itself. Arguments before the agent's program belong to the
 * launcher and are shown to the user before a run.
 */
export function argumentsInCommand(agent: AgentName, command: readonly string[]): readonly string[] {
  const isLaunched = LAUNCHER.test(command[0] ?? '');
  const at = command.findIndex((part, index) => (index === 0 || isLaunched) && PROGRAM[agent].test(part));
  return at < 0 ? [] : command.slice(at + 1);
}

/** Returns the first argument of the manifest that the preset does not allow, or null. */
export function refusedArgument(agent: AgentName, args: readonly string[]): string | null {
  for (let at = 0; at < args.length;) {
    const arg = args[at] ?? '';
    const used = accept(arg, args[at + 1], ALLOWED[agent]);
    if (used === 0) return arg;
    at += used;
  }
  return null;
}
