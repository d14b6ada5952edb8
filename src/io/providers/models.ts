import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { AiRequest } from '#protocol/ai-call.ts';
import type { ProviderName } from '#protocol/provider.ts';

interface Access {
  readonly secret: string;
  readonly fetch: typeof globalThis.fetch;
}

type Create = (request: AiRequest, access: Access) => LanguageModelV4;

const at = ({ baseUrl }: AiRequest) => (baseUrl === null ? {} : { baseURL: baseUrl });

/** Loads each provider at its first call: loading all takes longer than the start of the program. */
const CREATE: Readonly<Record<ProviderName, () => Promise<Create>>> = {
  openai: async () => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return (request, { secret, fetch }) => createOpenAI({ ...at(request), apiKey: secret, fetch })(request.model);
  },
  anthropic: async () => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return (request, { secret, fetch }) => createAnthropic({ ...at(request), apiKey: secret, fetch })(request.model);
  },
  google: async () => {
    const { createGoogle } = await import('@ai-sdk/google');
    return (request, { secret, fetch }) => createGoogle({ ...at(request), apiKey: secret, fetch })(request.model);
  },
  'openai-compatible': async () => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return (request, { secret, fetch }) =>
      createOpenAICompatible({
        name: 'compatible',
        baseURL: request.baseUrl ?? '',
        includeUsage: true,
        supportsStructuredOutputs: true,
        fetch,
        ...(secret === '' ? {} : { apiKey: secret }),
      })(request.model);
  },
};

const loaded = new Map<ProviderName, Promise<Create>>();

/** Loads a provider and returns the function that creates its models. */
export function loadProvider(provider: ProviderName): Promise<Create> {
  const create = loaded.get(provider) ?? CREATE[provider]();
  loaded.set(provider, create);
  return create;
}
