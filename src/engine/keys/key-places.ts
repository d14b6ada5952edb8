import { configFolder } from '#io/user/config-folder.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { osKeychain } from '#io/user/os-keychain.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { SecureStorageService } from '#protocol/secure-storage.ts';
import type { KeyPlaces } from './load-keys.ts';

/** Returns the places of the user's keys. `storage`: another keychain than the system's. */
export const keyPlaces = (
  environment: KeyPlaces['environment'],
  storage: SecureStorageService = osKeychain,
  calls: FileCalls = fileCalls,
): KeyPlaces => ({ calls, folder: configFolder(environment), environment, storage });
