import { createKnownSecrets } from './known-secrets.ts';
import { type KeyPlaces, loadKeys } from './load-keys.ts';

/** Returns a function that removes the user's keys, from the environment and the keychain, from a text. */
export async function knownRedactor(places: KeyPlaces): Promise<(text: string) => string> {
  const secrets = createKnownSecrets(places.environment);
  secrets.add((await loadKeys(places)).secrets);
  return secrets.redact;
}
