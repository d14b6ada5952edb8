import type { AsyncEntry } from '@napi-rs/keyring';
import { RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';
import { either, KEY_VARIABLE } from '#protocol/provider.ts';
import type { SecureStorageService } from '#protocol/secure-storage.ts';

const SERVICE = 'robo-smith';

/** The time limit for the keychain in milliseconds: the user may have to type a password to unlock it. */
const MOST_WAIT_MS = 120_000;

const ADVICE = `Set an environment variable instead: ${either(Object.values(KEY_VARIABLE))}, or for another server ROBOSMITH_KEY_<NAME> with ROBOSMITH_URL_<NAME>.`;

function unreachable(thrown: unknown): RoboSmithError {
  const why = messageOf(thrown).split('\n')[0]?.slice(0, 300) ?? '';
  return new RoboSmithError('no_keychain', `The system keychain can't be used (${why}). ${ADVICE}`, {
    next: ['robosmith keys --help'],
  });
}

/** Restricts Linux to the Secret Service. The library's fallback, the kernel keyring, loses its content at a reboot. */
const LASTING = { linux: { store: 'secret-service' } } as const;

async function within<Value>(name: string, work: (entry: AsyncEntry, signal: AbortSignal) => Promise<Value>) {
  try {
    // The library is native and not available on every platform, so it is loaded on first use.
    const keyring = await import('@napi-rs/keyring');
    return await work(new keyring.AsyncEntry(SERVICE, name, LASTING), AbortSignal.timeout(MOST_WAIT_MS));
  } catch (thrown) {
    throw unreachable(thrown);
  }
}

/** The keychain of the system: Keychain (macOS), Credential Manager (Windows) or Secret Service (Linux). */
export const osKeychain: SecureStorageService = {
  get: (name) => within(name, async (entry, signal) => (await entry.getPassword(signal)) ?? null),
  store: (name, secret) => within(name, (entry, signal) => entry.setPassword(secret, signal)),
  delete: (name) => within(name, (entry, signal) => entry.deletePassword(signal)),
};
