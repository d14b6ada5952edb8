import { configFolder } from '#io/config-folder.ts';
import { fileCalls } from '#io/file-calls.ts';
import { osKeychain } from '#io/os-keychain.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { SecureStorageService } from '#protocol/secure-storage.ts';
import type { KeyPlaces } from './load-keys.ts';

/** The user's keys, as the environment says; `storage`: another keychain than that of the system. */
export const keyPlaces = (
  environment: KeyPlaces['environment'],
  storage: SecureStorageService = osKeychain,
  calls: FileCalls = fileCalls,
): KeyPlaces => ({ calls, folder: configFolder(environment), environment, storage });
