/** Environment variables that make git print English, never prompt, and write no files in read-only commands. */
export const GIT_ENV: Readonly<Record<string, string>> = {
  LANGUAGE: 'en',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: ':',
  GIT_OPTIONAL_LOCKS: '0',
};

const NO_MONITOR = ['-c', 'core.fsmonitor=false'] as const;

/**
 * Settings for every git process, against two attacks. A repository can configure a program as its file system monitor,
 * which git would start even for `git status`. A folder in a clone can look like a bare repository with its own hooks;
 * with this setting, git uses a bare repository only if it is named explicitly.
 */
export const SAFE_SETTINGS = [...NO_MONITOR, '-c', 'safe.bareRepository=explicit'] as const;

/** The same settings for a folder that is known to be a git folder. */
export const IN_GIT_FOLDER = [...NO_MONITOR, '-c', 'safe.bareRepository=all'] as const;

/** Makes git read paths literally, not as patterns. */
export const LITERAL_NAMES: Readonly<Record<string, string>> = { GIT_LITERAL_PATHSPECS: '1' };

/**
 * Git commands that run hooks. Hooks inherit git's environment, in which `LITERAL_NAMES` would break their path
 * patterns, so paths for these commands are written as `:(literal)name` instead.
 */
const RUNS_HOOKS: ReadonlySet<string> = new Set([
  ...['am', 'branch', 'checkout', 'cherry-pick', 'clone', 'commit', 'fetch', 'gc', 'merge', 'pull', 'push', 'rebase'],
  ...['revert', 'switch', 'update-ref', 'worktree'],
]);

/** Returns the environment for a git command such as `commit`. */
export const gitEnvironment = (verb: string): Readonly<Record<string, string>> =>
  RUNS_HOOKS.has(verb) ? GIT_ENV : { ...GIT_ENV, ...LITERAL_NAMES };

/** Environment variables that define the author, how commits are signed, and where git's settings are. */
export const GIT_ENV_NAMES: readonly string[] = [
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_CEILING_DIRECTORIES'],
  ...['SSH_AUTH_SOCK', 'GNUPGHOME'],
];

/** Maximum output in characters: enough for the list of all files of a big repository. */
export const GIT_OUTPUT_LIMIT = 64 * 1024 * 1024;

/** Says that a hook has most likely rejected a commit, with what it printed. */
export const rejectedByHook = (printed: string): string =>
  printed.trim() === ''
    ? 'most likely a hook of the repository rejected it without a message: pre-commit, prepare-commit-msg or commit-msg'
    : `most likely a hook of the repository rejected it:\n${printed}`;
