import { keyPlaces } from '#engine/authoring.ts';
import { keyEnvironment } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { FAILURE_CLASSES } from '#protocol/failure-class.ts';
import type { NotedKeyTest } from '#protocol/key-pool.ts';
import type { SecureStorageService } from '#protocol/secure-storage.ts';
import type { Methods } from './methods/methods.ts';
import { countOf, oneOf, type Params, paramsOf, textOf } from './methods/read-params.ts';

/*
 * Receives keys from clients. They are kept in this process's memory only: not in its initial environment, which other
 * processes of the user can read, and not in a file.
 */

interface OfferedKeysParts {
  /**
   * The environment of this process: offered keys are added to it, and keys are read from it again each time they are
   * needed.
   */
  readonly environment: Record<string, string | undefined>;
  readonly keychain?: SecureStorageService | undefined;
}

/** The maximum number of keys in one request, and of keys that the host keeps. */
const MOST = 500;

function textsOf(params: Params, name: string): Readonly<Record<string, string>> {
  const given = params[name] === undefined ? {} : paramsOf(params[name]);
  const entries = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (entries.length === Object.keys(given).length && entries.length <= MOST) return Object.fromEntries(entries);
  throw new RoboSmithError('usage', `"${name}" must be an object of at most ${MOST} texts.`, { parameter: name });
}

/** Creates the receiver. `changed` is called when the value of a key changes. */
export function offeredKeys({ environment, keychain }: OfferedKeysParts) {
  const secrets = new Map<string, string>();
  const own = keyPlaces(environment, keychain);
  const storage: SecureStorageService = {
    ...own.storage,
    get: async (alias) => secrets.get(alias) ?? own.storage.get(alias),
  };
  const take = (params: unknown): { readonly taken: number; readonly changed: boolean } => {
    const given = paramsOf(params);
    // Only variables that hold keys are accepted, since other variables can change what programs do.
    const variables = Object.entries(keyEnvironment(textsOf(given, 'environment')));
    const named = Object.entries(textsOf(given, 'secrets'));
    const all = new Set([...secrets.keys(), ...named.map(([alias]) => alias)]);
    if (all.size > MOST)
      throw new RoboSmithError('usage', `The host keeps at most ${MOST} keys.`, { parameter: 'secrets' });
    const isNew =
      variables.some(([name, value]) => environment[name] !== value) ||
      named.some(([alias, secret]) => secrets.get(alias) !== secret);
    for (const [name, value] of variables) environment[name] = value;
    for (const [alias, secret] of named) secrets.set(alias, secret);
    return { taken: variables.length + named.length, changed: isNew };
  };
  /** The key storage for clients: it stores their secrets in memory only. */
  const inMemory: SecureStorageService = {
    ...storage,
    store: (alias, secret) => {
      secrets.set(alias, secret);
      return Promise.resolve();
    },
    delete: async (alias) => (secrets.delete(alias) ? true : own.storage.delete(alias)),
  };
  return { places: { ...own, storage }, ofClients: { ...own, storage: inMemory }, take };
}

interface KeyMethodParts {
  /** Called when a key has a new secret. */
  readonly changed: () => void;
  /** Notes a person's test of a key; false if there is no such key. */
  readonly noteTest: (test: NotedKeyTest) => Promise<boolean>;
}

function testOf(value: unknown): NotedKeyTest {
  const params = paramsOf(value);
  const alias = textOf(params, 'alias', 256);
  if (params['failure'] === null) return { alias, failure: null };
  const failure = paramsOf(params['failure']);
  const said = textOf(failure, 'said');
  const retryAt = failure['retryAt'] === null ? null : countOf(failure, 'retryAt');
  return { alias, failure: { class: oneOf(failure, 'class', FAILURE_CLASSES), said, retryAt } };
}

function testsOf(params: unknown): readonly NotedKeyTest[] {
  const { tests } = paramsOf(params);
  if (Array.isArray(tests) && tests.length <= MOST) return tests.map(testOf);
  throw new RoboSmithError('usage', `"tests" must be a list of at most ${MOST} tests.`, { parameter: 'tests' });
}

export const keyMethods = (
  take: ReturnType<typeof offeredKeys>['take'],
  { changed, noteTest }: KeyMethodParts,
): Methods<'keys.offer' | 'keys.tested'> => ({
  'keys.offer': (params) => {
    const { taken, changed: isNew } = take(params);
    if (isNew) changed();
    return { taken };
  },
  'keys.tested': async (params) => {
    const known = await Promise.all(testsOf(params).map(noteTest));
    return { noted: known.filter(Boolean).length };
  },
});
