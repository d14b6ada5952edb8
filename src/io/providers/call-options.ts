import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { AiRequest } from '#protocol/ai-call.ts';

/**
 * Marks the end of a prefix that Anthropic stores in its prompt cache. The other providers detect common prefixes by
 * themselves.
 */
const CACHED = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } } as const;

/**
 * Builds the prompt. The system message, and all turns except the last one, are marked for caching, because the block's
 * next visit sends them again.
 */
const promptOf = ({ instructions, messages }: AiRequest): LanguageModelV4Prompt => [
  ...(instructions === '' ? [] : [{ role: 'system', content: instructions, ...CACHED } as const]),
  ...messages.map(({ role, content }, index) => ({
    role,
    content: [{ type: 'text', text: content } as const],
    ...(index === messages.length - 2 ? CACHED : {}),
  })),
];

/**
 * Turns strict mode off, because it accepts only schemas whose objects are all closed and whose properties are all
 * required.
 */
const RELAXED = { openai: { strictJsonSchema: false }, compatible: { strictJsonSchema: false } } as const;

/** Converts a request into the call options of the AI SDK. */
export function callOptions(
  request: AiRequest,
  headers: Readonly<Record<string, string>>,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const { maxOutputTokens, temperature, schema } = request;
  return {
    prompt: promptOf(request),
    headers,
    abortSignal,
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    ...(temperature === null ? {} : { temperature }),
    ...(schema === null ? {} : { responseFormat: { type: 'json', name: 'answer', schema }, providerOptions: RELAXED }),
  };
}
