import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { AiRequest } from '#protocol/ai-call.ts';

/** Ends a prefix that Anthropic keeps in its cache; the other providers find common prefixes by themselves. */
const CACHED = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } } as const;

/** The system message, and the turns before the last one, are the same in the next visit of a block. */
const promptOf = ({ instructions, messages }: AiRequest): LanguageModelV4Prompt => [
  ...(instructions === '' ? [] : [{ role: 'system', content: instructions, ...CACHED } as const]),
  ...messages.map(({ role, content }, index) => ({
    role,
    content: [{ type: 'text', text: content } as const],
    ...(index === messages.length - 2 ? CACHED : {}),
  })),
];

/** A schema whose every object is closed and whose every property is required may be enforced to the letter; others are refused with that. */
const RELAXED = { openai: { strictJsonSchema: false }, compatible: { strictJsonSchema: false } } as const;

/** The request as the library takes it. */
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
