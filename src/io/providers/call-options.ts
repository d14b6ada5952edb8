import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { AiRequest } from '#protocol/ai-call.ts';

const promptOf = ({ instructions, messages }: AiRequest): LanguageModelV4Prompt => [
  ...(instructions === '' ? [] : [{ role: 'system', content: instructions } as const]),
  ...messages.map(({ role, content }) => ({ role, content: [{ type: 'text', text: content } as const] })),
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
