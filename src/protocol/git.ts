/** Git speaks English and asks nobody; looking changes nothing. */
export const GIT_ENV: Readonly<Record<string, string>> = {
  LANGUAGE: 'en',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: ':',
  GIT_OPTIONAL_LOCKS: '0',
};

/** A file's name is no pattern. */
export const LITERAL_NAMES: Readonly<Record<string, string>> = { GIT_LITERAL_PATHSPECS: '1' };

/** Their hooks inherit what git is given, and a pattern of a hook is one: names for these are written `:(literal)name`. */
const RUNS_HOOKS: ReadonlySet<string> = new Set([
  ...['am', 'branch', 'checkout', 'cherry-pick', 'clone', 'commit', 'fetch', 'gc', 'merge', 'pull', 'push', 'rebase'],
  ...['revert', 'switch', 'update-ref', 'worktree'],
]);

/** For a command of git's, as `commit`. */
export const gitEnvironment = (verb: string): Readonly<Record<string, string>> =>
  RUNS_HOOKS.has(verb) ? GIT_ENV : { ...GIT_ENV, ...LITERAL_NAMES };

/** Who commits, how it is signed, and where git's own settings are. */
export const GIT_ENV_NAMES: readonly string[] = [
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_CEILING_DIRECTORIES'],
  ...['SSH_AUTH_SOCK', 'GNUPGHOME'],
];

/** The list of all files of a big repository, in characters. */
export const GIT_OUTPUT_LIMIT = 64 * 1024 * 1024;
