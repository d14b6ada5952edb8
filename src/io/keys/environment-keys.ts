import { isPublicProvider, KEY_VARIABLE, type ProviderName, PUBLIC_PROVIDERS } from '#protocol/provider.ts';
import type { KeyDefinition } from '#protocol/key-pool.ts';
import { isOnThisComputer } from '#protocol/local-server.ts';

const MOST = 99;

/**
 * The variables of all providers, in order: `<name>_1` to `<name>_99` hold further keys. The alias of the first key is
 * the provider's name.
 */
const NAMES = PUBLIC_PROVIDERS.flatMap((provider) => [
  { name: KEY_VARIABLE[provider], provider, alias: provider },
  ...Array.from({ length: MOST }, (_, at) => ({
    name: `${KEY_VARIABLE[provider]}_${at + 1}`,
    provider,
    alias: `${provider}-${at + 1}`,
  })),
]);

/**
 * Matches the variable for the key of an OpenAI-compatible server: `ROBOSMITH_KEY_<NAME>`; `ROBOSMITH_URL_<NAME>` is
 * the server's URL.
 */
const OWN_KEY = /^ROBOSMITH_KEY_([A-Z0-9_]{1,64})$/;

const OWN_SERVER = /^ROBOSMITH_URL_([A-Z0-9_]{1,64})$/;

export interface EnvironmentKeys {
  readonly definitions: readonly KeyDefinition[];
  readonly secrets: ReadonlyMap<string, string>;
  /** The variable of each key, by alias: for a server without a key, the variable with its URL. */
  readonly variables: ReadonlyMap<string, string>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const secretIn = (environment: Environment, name: string): string | null => environment[name]?.trim() || null;

/** Returns the variable for a provider's key, for messages. */
export const variableOf = (provider: ProviderName): string =>
  isPublicProvider(provider) ? KEY_VARIABLE[provider] : 'ROBOSMITH_KEY_<NAME> and ROBOSMITH_URL_<NAME>';

/** Returns the variables for the key with this alias, for messages, or null if no variable can hold such a key. */
export function variableFor(alias: string, provider: ProviderName): string | null {
  if (!isPublicProvider(provider)) {
    const name = alias.toUpperCase().replaceAll('-', '_');
    return OWN_KEY.test(`ROBOSMITH_KEY_${name}`) ? `ROBOSMITH_KEY_${name} and ROBOSMITH_URL_${name}` : null;
  }
  return NAMES.find((one) => one.alias === alias && one.provider === provider)?.name ?? null;
}

/** Returns the variables of an environment that hold keys or settings of keys. */
export function keyEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const { variables } = environmentKeys(environment);
  const names = [...variables.values()].flatMap((name) => {
    const [, own] = OWN_KEY.exec(name) ?? [];
    return own === undefined ? [name] : [name, `ROBOSMITH_URL_${own}`];
  });
  return Object.fromEntries(names.map((name) => [name, environment[name] ?? '']));
}

/**
 * Returns the keys of the user's own servers that can't be used, because the variable with the server's URL is missing.
 */
export const keysWithoutAddress = (
  environment: Environment = process.env,
): readonly { readonly variable: string; readonly missing: string }[] =>
  Object.keys(environment)
    .sort()
    .flatMap((variable) => {
      const [, name] = OWN_KEY.exec(variable) ?? [];
      const missing = `ROBOSMITH_URL_${name ?? ''}`;
      const isLost = name !== undefined && secretIn(environment, variable) !== null;
      return isLost && secretIn(environment, missing) === null ? [{ variable, missing }] : [];
    });

const aliasOf = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** Returns the servers on this computer for which a URL is set but no key, since they need none. */
const keylessServers = (environment: Environment, given: readonly string[]) =>
  given.flatMap((variable) => {
    const [, name] = OWN_SERVER.exec(variable) ?? [];
    const baseUrl = secretIn(environment, variable);
    const isOne = name !== undefined && isOnThisComputer(baseUrl);
    return isOne && secretIn(environment, `ROBOSMITH_KEY_${name}`) === null
      ? [{ alias: aliasOf(name), baseUrl, variable }]
      : [];
  });

/**
 * Returns the keys in the environment, ordered by their numbers. A manifest's pools refer to them as `openai`,
 * `openai-1` and so on.
 */
export function environmentKeys(environment: Environment = process.env): EnvironmentKeys {
  const definitions: KeyDefinition[] = [];
  const secrets = new Map<string, string>();
  const variables = new Map<string, string>();
  const add = (alias: string, provider: ProviderName, baseUrl: string | null, variable: string): void => {
    const secret = secretIn(environment, variable);
    if (secret === null || secrets.has(alias)) return;
    definitions.push({ alias, provider, baseUrl, account: null });
    secrets.set(alias, secret);
    variables.set(alias, variable);
  };
  const given = Object.keys(environment).sort();
  // The names are collected once, since each look-up in `process.env` is a system call. They are compared in upper
  // case, since some systems ignore their case.
  const present = new Set(given.map((name) => name.toUpperCase()));
  for (const { name, provider, alias } of NAMES) if (present.has(name)) add(alias, provider, null, name);
  for (const variable of given) {
    const [, name] = OWN_KEY.exec(variable) ?? [];
    const baseUrl = name === undefined ? null : secretIn(environment, `ROBOSMITH_URL_${name}`);
    if (name !== undefined && baseUrl !== null) add(aliasOf(name), 'openai-compatible', baseUrl, variable);
  }
  for (const { alias, baseUrl, variable } of keylessServers(environment, given)) {
    if (variables.has(alias)) continue;
    definitions.push({ alias, provider: 'openai-compatible', baseUrl, account: null, keyless: true });
    variables.set(alias, variable);
  }
  return { definitions, secrets, variables };
}
