import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { AiRequest, FinishReason, TokenUsage } from '#protocol/ai-call.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';

const FINISH: Readonly<Record<LanguageModelV4FinishReason['unified'], FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  interrupted: 'interrupted',
  'tool-calls': 'other',
  error: 'other',
  other: 'other',
};

export const finishOf = ({ unified }: LanguageModelV4FinishReason): FinishReason => FINISH[unified] ?? 'other';

const inputOf = ({ instructions, messages }: AiRequest): number =>
  messages.reduce((sum, { content }) => sum + estimateTokens(content), estimateTokens(instructions));

/** Of an answer whose provider did not say: never nothing, for it is paid (facts/llm.md §1.4). */
export const estimatedUsage = (request: AiRequest, text: string): TokenUsage => ({
  input: inputOf(request),
  output: estimateTokens(text),
  cached: 0,
  reasoning: 0,
  source: 'estimated',
});

/** As the provider counted; estimated where it said nothing, or nothing that can be. */
export function usageOf(usage: LanguageModelV4Usage | null, request: AiRequest, text: string): TokenUsage {
  const { inputTokens, outputTokens } = usage ?? {};
  const count = (value: number | undefined): number =>
    value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : 0;
  const [input, output] = [count(inputTokens?.total), count(outputTokens?.total)];
  if (input === 0 && output === 0) return estimatedUsage(request, text);
  const cacheWrite = count(inputTokens?.cacheWrite);
  return {
    input,
    output,
    cached: count(inputTokens?.cacheRead),
    ...(cacheWrite === 0 ? {} : { cacheWrite }),
    reasoning: count(outputTokens?.reasoning),
    source: 'provider',
  };
}
