/**
 * Decides which files may leave the machine. Consulted before a file goes into a prompt, a slice, an index or a log.
 */
export interface Outbound {
  /** Takes a relative path with `/`, which need not exist. Links are followed. Throws if the rules can't be read. */
  mayLeave(path: string): Promise<boolean>;
}

/** Secrets, in the syntax of .gitignore. Only the user's own configuration takes a line back with `!`, and `.git/` not even that. */
export const KEPT_BACK: readonly string[] = [
  ...['.env*', '*.env', '.netrc', '_netrc', '.npmrc', '.pypirc', '.git-credentials', '.htpasswd', '.git/'],
  ...['*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.ppk', '*.jks', '*.keystore', '*.kdbx', '*.gpg'],
  ...['*.crt', '*.cer', '*.der', 'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'id_ecdsa_sk', 'id_ed25519_sk'],
  ...['.ssh/', '.gnupg/', '.aws/', '.kube/'],
];
