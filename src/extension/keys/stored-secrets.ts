import type * as vscode from 'vscode';

/**
 * Secrets of API keys in VS Code's SecretStorage, which can't be enumerated: the global state holds the list of
 * aliases.
 */
export interface StoredSecrets {
  /** Returns all secrets by alias, to pass them to the engine host. */
  all(): Promise<Readonly<Record<string, string>>>;
  store(alias: string, secret: string): Promise<void>;
  remove(alias: string): Promise<void>;
}

const NAMES = 'roboSmith.keys';

const placeOf = (alias: string): string => `roboSmith.key.${alias}`;

/** Opens the secret store of the current user. */
export function storedSecrets({
  secrets,
  globalState,
}: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>): StoredSecrets {
  const names = (): readonly string[] => globalState.get<readonly string[]>(NAMES, []);
  return {
    all: async () => {
      const found: [string, string][] = [];
      for (const alias of names()) {
        const secret = await secrets.get(placeOf(alias));
        if (secret !== undefined) found.push([alias, secret]);
      }
      return Object.fromEntries(found);
    },
    store: async (alias, secret) => {
      await secrets.store(placeOf(alias), secret);
      await globalState.update(NAMES, [...new Set([...names(), alias])]);
    },
    remove: async (alias) => {
      await secrets.delete(placeOf(alias));
      await globalState.update(
        NAMES,
        names().filter((one) => one !== alias),
      );
    },
  };
}
