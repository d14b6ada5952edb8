/**
 * Storage of secrets outside of every project: the system's keychain or VS Code's SecretStorage. Throws a
 * RoboSmithError `no_keychain` if it can't be reached.
 */
export interface SecureStorageService {
  /** Returns the secret, or null if there is none. */
  get(name: string): Promise<string | null>;
  /** Stores a secret and replaces an earlier one. */
  store(name: string, secret: string): Promise<void>;
  /** Deletes a secret; false if there was none. */
  delete(name: string): Promise<boolean>;
}
