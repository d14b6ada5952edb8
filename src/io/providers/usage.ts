import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import { type AiRequest, type FinishReason, isTokenCount, type TokenUsage } from '#protocol/ai-call.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';

const FINISH: Readonly<Record<LanguageModelV4FinishReason['unified'], FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  interrupted: 'interrupted',
  'tool-calls': 'tool_calls',
  error: 'interrupted',
  other: 'other',
};

/** Matches the reasons of servers whose answer did not come to its end. */
const BROKEN = /^(?:error|abort|cancel|fail|timeout)/i;

/**
 * Returns how an answer finished. `isEnded`: the stream had its last event, so an answer without a reason is complete.
 */
export function finishOf({ unified, raw }: LanguageModelV4FinishReason, isEnded: boolean): FinishReason {
  if (BROKEN.test(raw ?? '')) return 'interrupted';
  return unified === 'interrupted' && isEnded ? 'other' : (FINISH[unified] ?? 'other');
}

const inputOf = ({ instructions, messages }: AiRequest): number =>
  messages.reduce((sum, { content }) => sum + estimateTokens(content), estimateTokens(instructions));

/** Estimates the usage of an answer whose provider reported none. It is never zero, because the answer is billed. */
export const estimatedUsage = (request: AiRequest, text: string): TokenUsage => ({
  input: inputOf(request),
  output: estimateTokens(text),
  cached: 0,
  reasoning: 0,
  source: 'estimated',
});

const count = (value: number | undefined): number => (isTokenCount(value) ? value : 0);

const isSound = (value: number | undefined): boolean => value === undefined || isTokenCount(value);

/** Returns the usage that the provider reported, or an estimate if it is missing or implausible. */
export function usageOf(usage: LanguageModelV4Usage | null, request: AiRequest, text: string): TokenUsage {
  const { inputTokens, outputTokens } = usage ?? {};
  const [input, output] = [count(inputTokens?.total), count(outputTokens?.total)];
  const isPlausible = isSound(inputTokens?.total) && isSound(outputTokens?.total);
  if (!isPlausible || (input === 0 && output === 0)) return estimatedUsage(request, text);
  const cacheWrite = Math.min(count(inputTokens?.cacheWrite), input);
  return {
    input,
    output,
    cached: Math.min(count(inputTokens?.cacheRead), input),
    ...(cacheWrite === 0 ? {} : { cacheWrite }),
    reasoning: Math.min(count(outputTokens?.reasoning), output),
    source: 'provider',
  };
}
