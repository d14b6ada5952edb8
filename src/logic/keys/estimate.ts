import type { AiRequest, AttemptOutcome, TokenUsage } from '#protocol/ai-call.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';
import type { Prices } from '#protocol/key-pool.ts';
import { isErrorBody } from './error-body.ts';
import { isWebPage } from './explain-failure.ts';
import type { Bid, Cost } from './ledger.ts';

function inputTokens({ instructions, messages, schema }: AiRequest): number {
  const parts = [
    instructions,
    ...messages.map(({ content }) => content),
    schema === null ? '' : JSON.stringify(schema),
  ];
  return Math.max(1, estimateTokens(parts.join('')));
}

/** The smallest output, in tokens, for which a call's input is paid. */
const LEAST_OUTPUT = 256;

/** A number of output tokens that no model exceeds. A request under a budget that can pay for it needs no maximum. */
export const MOST_OUTPUT = 131_072;

/** A bid, with the number of input tokens. */
export interface CallBid extends Bid {
  readonly input: number;
}

/** Returns what a call offers to pay for. `accepted` is the largest output that the model is known to accept. */
export function bidOf(request: AiRequest, prices: Prices, accepted = MOST_OUTPUT): CallBid {
  const input = inputTokens(request);
  const most = Math.min(request.maxOutputTokens ?? MOST_OUTPUT, accepted);
  // Anthropic bills input that it writes to its cache at a higher price.
  const cacheWrite = request.provider === 'anthropic' ? input : 0;
  return {
    input,
    least: Math.min(LEAST_OUTPUT, most),
    most,
    costOf: (output) => ({
      tokens: input + output,
      microUsd: prices.microUsd(request, { input, output, cached: 0, cacheWrite, reasoning: 0 }),
    }),
  };
}

const NOTHING: TokenUsage = { input: 0, output: 0, cached: 0, reasoning: 0, source: 'estimated' };

/**
 * Returns whether a failed attempt is free, as refused attempts are, whatever their status, and redirects and web pages,
 * which come from no model. An attempt that broke off after it was accepted, or that our timeout ended, is billed an
 * unknown amount.
 */
function isFree(outcome: AttemptOutcome | null, seen: string): boolean {
  if (outcome === null || outcome.ok || seen !== '') return false;
  const { status, phase, begun, accepted, limit, body } = outcome.facts;
  const isRefused = status !== null && (status >= 300 || status === 204 || isWebPage(body) || isErrorBody(body));
  return !begun && accepted !== true && (isRefused || (phase === 'connect' && limit === undefined));
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
