import type { TokenUsage } from './ai-call.ts';

/** Sums the usage of two attempts, or returns null if neither used anything. */
export function sumUsage(one: TokenUsage | null, other: TokenUsage | null): TokenUsage | null {
  if (one === null || other === null) return one ?? other;
  const cacheWrite = (one.cacheWrite ?? 0) + (other.cacheWrite ?? 0);
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cached: one.cached + other.cached,
    ...(cacheWrite === 0 ? {} : { cacheWrite }),
    reasoning: one.reasoning + other.reasoning,
    source: one.source === 'provider' && other.source === 'provider' ? 'provider' : 'estimated',
  };
}
