import type { ProviderName } from '#protocol/ai-call.ts';
import type { KeyDefinition } from '#protocol/key-pool.ts';

/** The variables that the providers' own tools read; `<name>_1` to `<name>_99` are further keys. */
const VARIABLES: readonly (readonly [string, ProviderName, string])[] = [
  ['OPENAI_API_KEY', 'openai', 'openai'],
  ['ANTHROPIC_API_KEY', 'anthropic', 'anthropic'],
  ['GEMINI_API_KEY', 'google', 'google'],
];

const MOST = 99;

/** A server that speaks as OpenAI's do: `ROBOSMITH_KEY_<NAME>` is its key, `ROBOSMITH_URL_<NAME>` its address. */
const OWN_KEY = /^ROBOSMITH_KEY_([A-Z0-9_]{1,64})$/;

export interface EnvironmentKeys {
  readonly definitions: readonly KeyDefinition[];
  readonly secrets: ReadonlyMap<string, string>;
  /** By alias. */
  readonly variables: ReadonlyMap<string, string>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const secretIn = (environment: Environment, name: string): string | null => environment[name]?.trim() || null;

/** Which variable a key of a provider is looked for in, for people. */
export const variableOf = (provider: ProviderName): string =>
  VARIABLES.find(([, one]) => one === provider)?.[0] ?? 'ROBOSMITH_KEY_<NAME> and ROBOSMITH_URL_<NAME>';

/** Where the key of this name is looked for, for people; null: no variable can have a key of that name and provider. */
export function variableFor(alias: string, provider: ProviderName): string | null {
  if (provider === 'openai-compatible') {
    const name = alias.toUpperCase().replaceAll('-', '_');
    return OWN_KEY.test(`ROBOSMITH_KEY_${name}`) ? `ROBOSMITH_KEY_${name} and ROBOSMITH_URL_${name}` : null;
  }
  const [variable, , first] = VARIABLES.find(([, one]) => one === provider) ?? [];
  if (variable === undefined || first === undefined) return null;
  if (alias === first) return variable;
  const number = alias.startsWith(`${first}-`) ? alias.slice(first.length + 1) : '';
  return /^[1-9][0-9]?$/.test(number) ? `${variable}_${number}` : null;
}

/** The variables of an environment that are keys, or belong to one. */
export function keyEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const { variables } = environmentKeys(environment);
  const names = [...variables.values()].flatMap((name) => {
    const [, own] = OWN_KEY.exec(name) ?? [];
    return own === undefined ? [name] : [name, `ROBOSMITH_URL_${own}`];
  });
  return Object.fromEntries(names.map((name) => [name, environment[name] ?? '']));
}

/** Keys of own servers that nobody can use: the variables, each with the one that is missing. */
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

/** The keys in the environment, in the order of their numbers; `openai`, `openai-1`, … are their names in a manifest's pools. */
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
  for (const [name, provider, alias] of VARIABLES) {
    add(alias, provider, null, name);
    for (let number = 1; number <= MOST; number += 1) add(`${alias}-${number}`, provider, null, `${name}_${number}`);
  }
  for (const variable of Object.keys(environment).sort()) {
    const [, name] = OWN_KEY.exec(variable) ?? [];
    const baseUrl = name === undefined ? null : secretIn(environment, `ROBOSMITH_URL_${name}`);
    if (name !== undefined && baseUrl !== null)
      add(name.toLowerCase().replaceAll('_', '-'), 'openai-compatible', baseUrl, variable);
  }
  return { definitions, secrets, variables };
}
