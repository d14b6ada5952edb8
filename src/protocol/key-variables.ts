import { KEY_VARIABLE } from './provider.ts';

/**
 * Names of environment variables that contain API keys: those that the providers' own tools read, the same names with a
 * number at the end, and `ROBOSMITH_KEY_…` for other servers.
 */
const API_KEY = new RegExp(
  `^(?:(?:${Object.values(KEY_VARIABLE).join('|')})(?:_[1-9][0-9]?)?|ROBOSMITH_KEY_[A-Z0-9_]{1,64})$`,
);

/** Returns whether the value of this environment variable is an API key. */
export const isKeyVariable = (name: string): boolean => API_KEY.test(name);

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment without API keys, for a program that needs none. */
export const withoutKeys = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !isKeyVariable(name)));
