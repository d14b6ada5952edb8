import type { AiRequest, AttemptOutcome, TokenUsage } from '#protocol/ai-call.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';
import type { Prices } from '#protocol/key-pool.ts';
import { isWebPage } from './explain-failure.ts';
import type { Cost } from './ledger.ts';

function inputTokens({ instructions, messages, schema }: AiRequest): number {
  const parts = [
    instructions,
    ...messages.map(({ content }) => content),
    schema === null ? '' : JSON.stringify(schema),
  ];
  return Math.max(1, estimateTokens(parts.join('')));
}

/** Returns the minimum cost of a call: the cost of its input. */
export function leastCost(request: AiRequest, prices: Prices): Cost {
  const tokens = inputTokens(request);
  return { tokens, microUsd: prices.microUsd(request, { input: tokens, output: 0, cached: 0, reasoning: 0 }) };
}

const NOTHING: TokenUsage = { input: 0, output: 0, cached: 0, reasoning: 0, source: 'estimated' };

/**
 * Returns whether a failed attempt is free, as refused attempts are, and redirects and web pages, which come from no
 * model. An attempt that broke off after it was accepted,
 * or that our timeout ended, is billed an unknown amount.
 */
function isFree(outcome: AttemptOutcome | null, seen: string): boolean {
  if (outcome === null || outcome.ok || seen !== '') return false;
  const { status, phase, begun, limit, body } = outcome.facts;
  const isRefused = status !== null && (status >= 300 || status === 204 || isWebPage(body));
  return !begun && (isRefused || (phase === 'connect' && limit === undefined));
}

/**
 * Estimates the usage of an attempt. A null outcome means that it was aborted; `seen` is the part of the answer that
 * arrived.
 */
export function usageOf(request: AiRequest, outcome: AttemptOutcome | null, seen: string): TokenUsage {
  const reported = outcome?.usage ?? null;
  if (reported !== null) return reported;
  if (isFree(outcome, seen)) return NOTHING;
  return { ...NOTHING, input: inputTokens(request), output: estimateTokens(seen) };
}

/** Returns the cost; zero usage costs nothing, even if the price is unknown. */
export function costOf(request: AiRequest, usage: TokenUsage, prices: Prices): Cost {
  const tokens = usage.input + usage.output;
  return { tokens, microUsd: tokens === 0 ? 0 : prices.microUsd(request, usage) };
}
