/** What may leave this machine (spec/workers.md "What leaves the machine"): asked before a file of the project goes into a prompt, a slice, an index or a log. */
export interface Outbound {
  /** A path of the run's files: relative, with `/`. Links are followed; it need not be there. Throws when the rules can't be read. */
  mayLeave(path: string): Promise<boolean>;
}

/** Stays here whatever a project says of it, unless it takes a line back with `!`. The syntax is that of .gitignore. */
export const KEPT_BACK: readonly string[] = [
  ...['.env*', '.netrc', '_netrc', '.npmrc', '.pypirc', '.git-credentials', '.htpasswd', '.git/'],
  ...['*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.ppk', '*.jks', '*.keystore', '*.kdbx', '*.gpg'],
  ...['*.crt', '*.cer', '*.der', 'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'id_ecdsa_sk', 'id_ed25519_sk'],
  ...['.ssh/', '.gnupg/', '.aws/', '.kube/'],
];
