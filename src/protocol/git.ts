/** Variables that make git print English, ask nobody and change nothing when it reads. */
export const GIT_ENV: Readonly<Record<string, string>> = {
  LANGUAGE: 'en',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: ':',
  GIT_OPTIONAL_LOCKS: '0',
};

const NO_MONITOR = ['-c', 'core.fsmonitor=false'] as const;

/**
 * Settings of each git that is started. A repository may name a program as the monitor, which git would start even to show the status.
 * A folder of a clone may look like a bare repository with hooks of its own; only one that was found otherwise is used.
 */
export const SAFE_SETTINGS = [...NO_MONITOR, '-c', 'safe.bareRepository=explicit'] as const;

/** The same in a git folder that is known as one. */
export const IN_GIT_FOLDER = [...NO_MONITOR, '-c', 'safe.bareRepository=all'] as const;

/** A file's name is no pattern. */
export const LITERAL_NAMES: Readonly<Record<string, string>> = { GIT_LITERAL_PATHSPECS: '1' };

/**
 * Verbs whose hooks inherit git's environment. A hook's own patterns must work, so names for these verbs are written
 * `:(literal)name`.
 */
const RUNS_HOOKS: ReadonlySet<string> = new Set([
  ...['am', 'branch', 'checkout', 'cherry-pick', 'clone', 'commit', 'fetch', 'gc', 'merge', 'pull', 'push', 'rebase'],
  ...['revert', 'switch', 'update-ref', 'worktree'],
]);

/** Returns the environment for a git verb such as `commit`. */
export const gitEnvironment = (verb: string): Readonly<Record<string, string>> =>
  RUNS_HOOKS.has(verb) ? GIT_ENV : { ...GIT_ENV, ...LITERAL_NAMES };

/** Variables that say who commits, how commits are signed, and where git's settings are. */
export const GIT_ENV_NAMES: readonly string[] = [
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_CEILING_DIRECTORIES'],
  ...['SSH_AUTH_SOCK', 'GNUPGHOME'],
];

/** The largest output in characters: the list of all files of a big repository. */
export const GIT_OUTPUT_LIMIT = 64 * 1024 * 1024;
