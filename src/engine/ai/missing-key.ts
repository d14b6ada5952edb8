import { variableFor, variableOf } from '#io/keys/environment-keys.ts';
import type { AiRequest } from '#protocol/ai-call.ts';
import type { KeyDefinition, PoolSettings } from '#protocol/key-pool.ts';
import { withoutLogin } from '#protocol/without-login.ts';

/** The pool in which no key was found. */
export interface SearchedPool {
  readonly pool: PoolSettings;
  /** All keys of the user. */
  readonly known: readonly KeyDefinition[];
}

type Target = Pick<AiRequest, 'provider' | 'baseUrl'>;

const addressOf = ({ provider, baseUrl }: Target): string =>
  baseUrl === null ? `the address of ${provider}` : withoutLogin(baseUrl);

/** Returns the provider, or its address if it isn't the default one, for a message. */
export const whereOf = ({ provider, baseUrl }: Target): string => (baseUrl === null ? provider : withoutLogin(baseUrl));

const isFor = (key: KeyDefinition, { provider, baseUrl }: Target): boolean =>
  key.provider === provider && key.baseUrl === baseUrl;

/**
 * Returns whether only a key of the keychain can serve the target: environment variables belong to the default address
 * of a known provider.
 */
const isKeychainOnly = ({ provider, baseUrl }: Target): boolean => provider !== 'openai-compatible' && baseUrl !== null;

const addCommand = (alias: string, { provider, baseUrl }: Target): string =>
  `type \`robosmith keys add ${alias} --provider ${provider}${baseUrl === null ? '' : ` --base-url ${withoutLogin(baseUrl)}`}\``;

const howToAdd = (alias: string, target: Target): string => {
  const variable = isKeychainOnly(target) ? null : variableFor(alias, target.provider);
  return variable === null ? addCommand(alias, target) : `set ${variable}`;
};

const sentTo = (key: KeyDefinition): string => `${key.alias}: it is sent to ${addressOf(key)} only`;

function inPool(target: Target, name: string, aliases: readonly string[], known: readonly KeyDefinition[]): string {
  const lines = aliases.map((alias) => {
    const key = known.find((one) => one.alias === alias);
    return key === undefined ? `${alias}: there is no such key: ${howToAdd(alias, target)}` : sentTo(key);
  });
  const others = known.filter((key) => isFor(key, target)).map(({ alias }) => alias);
  const advice = others.length === 0 ? [] : [`keys outside the pool that could be used: ${others.join(', ')}`];
  return [`the pool "${name}" has no key for ${whereOf(target)}`, ...lines, ...advice].join('\n');
}

/** Explains why no key fits a request, and how to add one. */
export function missingKey(target: Target, { pool: { name, keys }, known }: SearchedPool): string {
  if (keys !== null && keys.length > 0) return inPool(target, name, keys, known);
  const how = isKeychainOnly(target) ? addCommand('<name>', target) : `set ${variableOf(target.provider)}`;
  const elsewhere = known.filter(({ provider }) => provider === target.provider).map(sentTo);
  return [`there is no key for ${whereOf(target)}: ${how}`, ...elsewhere].join('\n');
}
