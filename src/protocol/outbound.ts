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

/**
 * Returns whether the name of a file (relative, with `/`) suggests that it contains secrets. Such a file is not
 * committed without confirmation. Template files don't count.
 */
export function isNamedAsSecret(file: string): boolean {
  const parts = file.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  if (TEMPLATE.test(name)) return false;
  return KEPT_BACK.some((pattern) =>
    pattern.endsWith('/')
      ? parts.slice(0, -1).includes(pattern.slice(0, -1))
      : parts.some((part) => matches(pattern, part)),
  );
}
