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

/** Settings of an endpoint. Others of codex's name a command that yields the key, or further headers. */
const ENDPOINT_KEY =
  '(?:name|base_url|env_key|wire_api|request_max_retries|stream_max_retries|stream_idle_timeout_ms|requires_openai_auth)';

const MODEL_KEY = [
  ...['model', 'model_provider', 'model_reasoning_effort', 'model_reasoning_summary', 'model_verbosity'],
  ...['model_context_window', 'model_auto_compact_token_limit', 'model_supports_reasoning_summaries'],
  ...['service_tier', 'tool_output_token_limit', 'hide_agent_reasoning', 'show_raw_agent_reasoning', 'personality'],
].join('|');

/** The settings that `-c` of codex may set: which model answers, how, and where it is. */
const CODEX_SETTING = new RegExp(
  [
    `^(?:${MODEL_KEY})\\s*=\\s*${SCALAR}$`,
    `^model_providers\\.[\\w-]+\\.${ENDPOINT_KEY}\\s*=\\s*${SCALAR}$`,
    `^model_providers\\.[\\w-]+\\s*=\\s*\\{\\s*${ENDPOINT_KEY}\\s*=\\s*${SCALAR}(?:\\s*,\\s*${ENDPOINT_KEY}\\s*=\\s*${SCALAR})*\\s*\\}$`,
  ].join('|'),
);

/**
 * What a manifest may add to the command line of a preset. A list of forbidden flags would have to know every version of every
 * program: whatever is not here could load settings, hooks, plugins or MCP servers, which run commands.
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

/** Checks one argument together with the next one. Returns how many of them are used up, or 0 when it is refused. */
function accept(arg: string, next: string | undefined, { alone, valued }: AllowedFlags): 0 | 1 | 2 {
  if (alone.includes(arg)) return 1;
  const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
  const flag = equals < 0 ? arg : arg.slice(0, equals);
  const pattern = Object.hasOwn(valued, flag) ? valued[flag] : undefined;
  if (pattern === undefined) return 0;
  if (equals >= 0) return pattern.test(arg.slice(equals + 1)) ? 1 : 0;
  // A value with a dash at its beginning is a flag of its own for some of the programs.
  return next !== undefined && !next.startsWith('-') && pattern.test(next) ? 2 : 0;
}

/** The programs of the presets, and the packages by which a launcher such as `npx` starts them. */
const PROGRAM: Readonly<Record<AgentName, RegExp>> = {
  claude: /(?:^|[/\\])(?:claude|claude-code(?:@[^/\\]*)?)(?:\.\w+)?$/i,
  codex: /(?:^|[/\\])codex(?:@[^/\\]*)?(?:\.\w+)?$/i,
  gemini: /(?:^|[/\\])(?:gemini|gemini-cli(?:@[^/\\]*)?)(?:\.\w+)?$/i,
};

/** Programs that start the one that is named after their own flags. */
const LAUNCHER = /(?:^|[/\\])(?:npx|bunx|pnpx|npm|pnpm|yarn|bun|env|nice|nohup|time|sudo|mise|volta)(?:\.\w+)?$/i;

/** What `command` passes to the agent itself. The flags of a launcher before it are its own, and are shown before a run. */
export function argumentsInCommand(agent: AgentName, command: readonly string[]): readonly string[] {
  const isLaunched = LAUNCHER.test(command[0] ?? '');
  const at = command.findIndex((part, index) => (index === 0 || isLaunched) && PROGRAM[agent].test(part));
  return at < 0 ? [] : command.slice(at + 1);
}

/** The first of the manifest's arguments that a preset does not let through, or null. */
export function refusedArgument(agent: AgentName, args: readonly string[]): string | null {
  for (let at = 0; at < args.length;) {
    const arg = args[at] ?? '';
    const used = accept(arg, args[at + 1], ALLOWED[agent]);
    if (used === 0) return arg;
    at += used;
  }
  return null;
}
