import { type EnvironmentKeys, environmentKeys, keysWithoutAddress } from '#io/keys/environment-keys.ts';
import { type BookedKey, type KeyBook, type KeyBookPlace, readKeyBook } from '#io/keys/key-book.ts';
import type { UserKey } from '#protocol/key-pool.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { SecureStorageService } from '#protocol/secure-storage.ts';
import { configFolder } from '#io/user/config-folder.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { osKeychain } from '#io/keys/os-keychain.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

/** The places of a user's keys. */
export interface KeyPlaces extends KeyBookPlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly storage: SecureStorageService;
}

export interface LoadedKeys {
  /** The keys in the user's order. */
  readonly keys: readonly UserKey[];
  readonly secrets: ReadonlyMap<string, string>;
  readonly order: KeyBook['order'];
  /** Messages about keys that are not available. */
  readonly problems: readonly string[];
}

const NO_BOOK: KeyBook = { keys: [], disabled: [], order: [] };

type Read = { readonly alias: string; readonly secret: string | null; readonly problem: string | null };

async function readSecret({ alias, keyless }: BookedKey, storage: SecureStorageService): Promise<Read> {
  if (keyless === true) return { alias, secret: null, problem: null };
  try {
    const secret = (await storage.get(alias))?.trim() ?? '';
    return secret === ''
      ? { alias, secret: null, problem: `the keychain has no secret for the key ${alias}` }
      : { alias, secret, problem: null };
  } catch (thrown) {
    return { alias, secret: null, problem: messageOf(thrown) };
  }
}

function inOrder(keys: readonly UserKey[], order: KeyBook['order']): readonly UserKey[] {
  const places = new Map(order.flat().map((alias, index) => [alias, index]));
  const placeOf = ({ alias }: UserKey): number => places.get(alias) ?? places.size;
  return keys.toSorted((one, other) => placeOf(one) - placeOf(other));
}

function together(environment: EnvironmentKeys, booked: readonly BookedKey[], { disabled, order }: KeyBook) {
  const isOff = (alias: string): boolean => disabled.includes(alias);
  const ofEnvironment = environment.definitions.map((key): UserKey => {
    const variable = environment.variables.get(key.alias) ?? '';
    return { ...key, pool: null, disabled: isOff(key.alias), from: { kind: 'environment', variable } };
  });
  const ofKeychain = booked.map((key): UserKey => ({ ...key, disabled: isOff(key.alias), from: { kind: 'keychain' } }));
  return inOrder([...ofEnvironment, ...ofKeychain], order);
}

/**
 * Loads all keys of the user; those of the environment take precedence over the keychain. Keys that can't be read are
 * reported as problems.
 */
export async function loadKeys(places: KeyPlaces): Promise<LoadedKeys> {
  const environment = environmentKeys(places.environment);
  let book = NO_BOOK;
  const problems: string[] = [];
  try {
    book = readKeyBook(places);
  } catch (thrown) {
    problems.push(messageOf(thrown));
  }
  for (const { variable, missing } of keysWithoutAddress(places.environment))
    problems.push(`the key in ${variable} is not used: set ${missing} to the URL of its server`);
  const hidden = book.keys.filter(({ alias }) => environment.variables.has(alias));
  const booked = book.keys.filter((key) => !hidden.includes(key));
  for (const { alias } of hidden)
    problems.push(
      `the key ${alias} of the keychain is not used, because ${environment.variables.get(alias) ?? ''} defines a key of this name`,
    );
  const read = await Promise.all(booked.map((key) => readSecret(key, places.storage)));
  problems.push(...new Set(read.flatMap(({ problem }) => problem ?? [])));
  const secrets = new Map(environment.secrets);
  for (const { alias, secret } of read) if (secret !== null) secrets.set(alias, secret);
  return { keys: together(environment, booked, book), secrets, order: book.order, problems };
}

/** Returns the places of the user's keys. `storage`: another keychain than the system's. */
export const keyPlaces = (
  environment: KeyPlaces['environment'],
  storage: SecureStorageService = osKeychain,
  calls: FileCalls = fileCalls,
): KeyPlaces => ({ calls, folder: configFolder(environment), environment, storage });
