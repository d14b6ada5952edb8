/**
 * Decides which files may leave the machine. It is called before a file's content goes into a prompt, a context slice,
 * an index or a log.
 */
export interface Outbound {
  /**
   * Returns whether a file may leave the machine. `path` is relative, with `/`, and need not exist; links are followed.
   * Throws if the rules can't be read.
   */
  mayLeave(path: string): Promise<boolean>;
}

/**
 * Patterns of files with secrets, in the syntax of .gitignore. Only the user's own configuration can revoke a pattern
 * with `!`. The pattern `.git/` can't be revoked.
 */
export const KEPT_BACK: readonly string[] = [
  ...['.env*', '*.env', '.netrc', '_netrc', '.npmrc', '.pypirc', '.git-credentials', '.htpasswd', '.git/'],
  ...['*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.ppk', '*.jks', '*.keystore', '*.kdbx', '*.gpg'],
  ...['*.crt', '*.cer', '*.der', 'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'id_ecdsa_sk', 'id_ed25519_sk'],
  ...['.ssh/', '.gnupg/', '.aws/', '.kube/'],
];

/** Matches names of templates for files with secrets, such as `.env.example`, which contain no secrets. */
const TEMPLATE = /(?:^|[./])(?:example|sample|template|dist|defaults?)(?:[./]|$)/;

const matches = (pattern: string, part: string): boolean => {
  if (pattern.startsWith('*')) return part.endsWith(pattern.slice(1));
  return pattern.endsWith('*') ? part.startsWith(pattern.slice(0, -1)) : part === pattern;
};

/** Returns whether a file or folder with this name is kept back, whatever its place. */
export const isKeptBack = (name: string): boolean =>
  KEPT_BACK.some((pattern) => matches(pattern.replace(/\/$/, ''), name.toLowerCase()));

/** Returns whether a file's name, in lower case, is that of a template, such as `.env.example`. */
export const isTemplateName = (name: string): boolean => TEMPLATE.test(name);

/**
 * Returns whether the name of a file (relative, with `/`) suggests that it contains secrets. Such a file is not
 * committed without confirmation. Template files don't count.
 */
export function isNamedAsSecret(file: string): boolean {
  const parts = file.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  if (isTemplateName(name)) return false;
  return KEPT_BACK.some((pattern) =>
    pattern.endsWith('/')
      ? parts.slice(0, -1).includes(pattern.slice(0, -1))
      : parts.some((part) => matches(pattern, part)),
  );
}

/**
 * Returns the message for users about a secret in a prompt. `key` is the alias of the key; null if the text only has
 * the format of a key.
 */
export function secretText({ where, key }: { readonly where: string; readonly key: string | null }): string {
  if (key !== null) return `The key ${key} was found in ${where} and replaced by [key] before the prompt was sent.`;
  return `A text in ${where} has the form of a key that RoboSmith does not know. To refuse such prompts, set "unknown_keys": "refuse" in outgoing.json of your configuration folder.`;
}
