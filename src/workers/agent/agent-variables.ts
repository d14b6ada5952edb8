import type { AgentName } from '#protocol/approvals.ts';
import type { EnvironmentFiles, ProjectVariables } from '#protocol/agent.ts';
import type { ProcessRequest } from '#protocol/services.ts';

/** The environment variables that decide where an agent sends its requests, and what limits it. */
interface AgentVariables extends EnvironmentFiles {
  /**
   * Variables with their defaults. The agent gets the user's value, or else the default, so that no file that the
   * program reads by itself can set them. They hold no secrets.
   */
  readonly chosen: Readonly<Record<string, string>>;
  /** Variables that the agent gets only if the worker's `env` names them, because they may hold secrets. */
  readonly named: readonly string[];
  /** Variables that locate the agent's settings and login. They are passed on, and a file can't redirect them. */
  readonly passed: readonly string[];
  /** Variables that have these values whatever the user's environment says. */
  readonly fixed: Readonly<Record<string, string>>;
}

const empty = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, '']));

const NETWORK = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS'],
];

/** Accepting any certificate is never taken from the user's environment. */
const ANY_CERTIFICATE = 'NODE_TLS_REJECT_UNAUTHORIZED';

const GEMINI_PLACES = [
  ...['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL', 'GOOGLE_GENAI_API_VERSION', 'CODE_ASSIST_API_VERSION'],
  ...['GCE_METADATA_HOST', 'GCE_METADATA_IP', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION'],
  ...['GOOGLE_CLOUD_QUOTA_PROJECT', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA', 'GEMINI_CLI_USE_COMPUTE_ADC'],
  ...['GOOGLE_APPLICATION_CREDENTIALS', 'CLOUDSDK_CONFIG', 'CLOUD_SHELL', 'GEMINI_API_KEY_AUTH_MECHANISM'],
];

const GEMINI_LIMITS = [
  ...['GEMINI_SANDBOX', 'SANDBOX', 'SANDBOX_FLAGS', 'SANDBOX_MOUNTS', 'SANDBOX_PORTS'],
  ...['SANDBOX_ENV', 'BUILD_SANDBOX', 'GEMINI_SANDBOX_PROXY_COMMAND', 'GEMINI_RESTRICTED_MODE'],
];

const GEMINI_SETTINGS = [
  ...['GEMINI_CLI_HOME', 'GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH'],
  ...['GEMINI_CLI_TRUSTED_FOLDERS_PATH', 'GEMINI_SYSTEM_MD', 'GEMINI_WRITE_SYSTEM_MD', 'GEMINI_EXP'],
];

const CLAUDE_PLACES = [
  ...['ANTHROPIC_BASE_URL', 'ANTHROPIC_BEDROCK_BASE_URL', 'ANTHROPIC_VERTEX_BASE_URL', 'ANTHROPIC_FOUNDRY_BASE_URL'],
  ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
];

/**
 * Declares each agent's variables. An empty value is the same as none for these variables, except where another
 * default is given (docs/reference/agents.md).
 */
export const AGENT_VARIABLES: Readonly<Record<AgentName, AgentVariables>> = {
  claude: {
    chosen: empty([...CLAUDE_PLACES, ...NETWORK]),
    passed: ['CLAUDE_CONFIG_DIR'],
    named: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_CUSTOM_HEADERS'],
    fixed: { [ANY_CERTIFICATE]: '' },
    files: [],
    home: null,
  },
  codex: {
    chosen: empty(['OPENAI_BASE_URL', ...NETWORK]),
    passed: ['CODEX_HOME'],
    named: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    fixed: {},
    files: [],
    home: null,
  },
  gemini: {
    chosen: {
      ...empty([...GEMINI_PLACES, ...GEMINI_LIMITS, ...GEMINI_SETTINGS, ...NETWORK]),
      CODE_ASSIST_ENDPOINT: 'https://cloudcode-pa.googleapis.com',
      GOOGLE_CLOUD_UNIVERSE_DOMAIN: 'googleapis.com',
      SEATBELT_PROFILE: 'permissive-open',
    },
    passed: [],
    named: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_CLOUD_ACCESS_TOKEN', 'GEMINI_CLI_CUSTOM_HEADERS'],
    // Gemini CLI then ignores `.gemini/settings.json` of the folder. With `--skip-trust` it works there nevertheless,
    // but reads `.env` files as in a trusted folder.
    fixed: { GEMINI_CLI_TRUST_WORKSPACE: 'false', [ANY_CERTIFICATE]: '' },
    files: ['.gemini/.env', '.env'],
    home: 'GEMINI_CLI_HOME',
  },
};

/**
 * The value of a variable that must not be empty if a file of the project names it: with an empty image, Gemini CLI
 * works without the sandbox of the user's settings. With this one the sandbox does not start.
 */
const UNUSABLE: Readonly<Record<string, string>> = { GEMINI_SANDBOX_IMAGE: 'named-by-a-file-of-the-project.invalid/x' };

/** Returns the names of the user's variables that an agent gets without being named in the manifest. */
export function passedTo(agent: AgentName): readonly string[] {
  const { passed, chosen } = AGENT_VARIABLES[agent];
  return [...passed, ...Object.keys(chosen)];
}

/**
 * Returns the environment of an agent, so that no file of the project can set a variable of it. `named` are the
 * variables in the worker's `env`, `files` the variables that the files which the program reads would set. What the
 * user's own file sets has no default here, unless a file of the project sets it too.
 */
export function agentEnvironment(
  agent: AgentName,
  named: readonly string[],
  { project, user }: ProjectVariables,
): Pick<ProcessRequest, 'env' | 'envNames' | 'envDefaults'> {
  const { chosen, named: secret, fixed } = AGENT_VARIABLES[agent];
  const own = new Set(user);
  const declared = Object.entries({ ...chosen, ...empty(secret) }).filter(([name]) => !own.has(name));
  const ofFiles = project.map((name) => [name, chosen[name] ?? UNUSABLE[name] ?? ''] as const);
  return {
    envNames: [...passedTo(agent), ...named],
    envDefaults: Object.fromEntries([...declared, ...ofFiles]),
    env: fixed,
  };
}
