import type { SecureStorageService } from '#protocol/secure-storage.ts';

/** Creates a keychain in memory. */
export function memoryKeychain(): SecureStorageService & { readonly kept: ReadonlyMap<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: (name) => Promise.resolve(kept.get(name) ?? null),
    store: (name, secret) => {
      kept.set(name, secret);
      return Promise.resolve();
    },
    delete: (name) => Promise.resolve(kept.delete(name)),
  };
}
