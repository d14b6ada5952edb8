/** The providers of models. `openai-compatible` is any other server that has OpenAI's protocol and a URL of its own. */
export const PROVIDERS = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;

export type ProviderName = (typeof PROVIDERS)[number];

/** A provider with one public address, so that its name alone says where its keys are sent. */
export type PublicProvider = Exclude<ProviderName, 'openai-compatible'>;

/** The environment variables with API keys that the providers' own tools read. */
export const KEY_VARIABLE: Readonly<Record<PublicProvider, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GEMINI_API_KEY',
};

export const providerNamed = (name: unknown): ProviderName | null => PROVIDERS.find((one) => one === name) ?? null;

export const isPublicProvider = (provider: ProviderName): provider is PublicProvider =>
  provider !== 'openai-compatible';

export const PUBLIC_PROVIDERS: readonly PublicProvider[] = PROVIDERS.filter(isPublicProvider);

/** Returns the words as a list in a sentence: "a, b or c". */
export const either = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;

/** The providers in a sentence, for messages. */
export const ANY_PROVIDER = either(PROVIDERS);

export const ANY_PUBLIC_PROVIDER = either(PUBLIC_PROVIDERS);
