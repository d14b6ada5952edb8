/** Git speaks English and asks nobody; a file's name is no pattern; looking changes nothing. */
export const GIT_ENV: Readonly<Record<string, string>> = {
  LANGUAGE: 'en',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: ':',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
};

/** Who commits, how it is signed, and where git's own settings are. */
export const GIT_ENV_NAMES: readonly string[] = [
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_CEILING_DIRECTORIES'],
  ...['SSH_AUTH_SOCK', 'GNUPGHOME'],
];

/** The list of all files of a big repository, in characters. */
export const GIT_OUTPUT_LIMIT = 64 * 1024 * 1024;
