/**
 * Where secrets are kept outside of every project: the keychain of the operating system, VS Code's SecretStorage
 * (spec/workers.md "The key pool"). Throws a RoboSmithError `no_keychain` where it can't be reached.
 */
export interface SecureStorageService {
  /** Null: there is none of that name. */
  get(name: string): Promise<string | null>;
  /** Over what was there. */
  store(name: string, secret: string): Promise<void>;
  /** False: there was none. */
  delete(name: string): Promise<boolean>;
}
