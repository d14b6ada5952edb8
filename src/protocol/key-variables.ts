/** Variables of API keys: those that the providers' own tools read, each with further ones by number, and those of servers of one's own. */
const KEY_VARIABLE = /^(?:(?:OPENAI|ANTHROPIC|GEMINI)_API_KEY(?:_[1-9][0-9]?)?|ROBOSMITH_KEY_[A-Z0-9_]{1,64})$/;

/** Is the value of this environment variable an API key? */
export const isKeyVariable = (name: string): boolean => KEY_VARIABLE.test(name);

type Environment = Readonly<Record<string, string | undefined>>;

/** An environment for a program that needs no API key. */
export const withoutKeys = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !isKeyVariable(name)));
