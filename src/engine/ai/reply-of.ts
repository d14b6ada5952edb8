import { sumUsage, type TokenUsage } from '#protocol/ai-call.ts';
import type { AiOrder, AiReply, KnownAnswer } from '#protocol/ai-service.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import type { AttemptRecord } from '#protocol/finished-call.ts';
import type { PoolResult } from '#protocol/key-pool.ts';
import type { Prompt, PromptSegment } from '#protocol/prompt.ts';
import type { SearchedPool } from './missing-key.ts';
import { waitError } from './wait-error.ts';

/** Sums the usage of all attempts: incomplete answers are billed as well. */
function spentOn(attempts: readonly AttemptRecord[]) {
  const used = attempts.map(({ usage }) => usage).filter(({ input, output }) => input + output > 0);
  const costs = attempts.map(({ microUsd }) => microUsd);
  return {
    usage: used.reduce<TokenUsage | null>(sumUsage, null),
    costMicroUsd: costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
  };
}

/** Returns the result for the worker; throws if its run must wait. */
export function replyOf(result: PoolResult, order: AiOrder, lookedIn: SearchedPool): AiReply {
  switch (result.kind) {
    case 'answered': {
      const { call, text, finish, attempts, key } = result;
      const { usage, costMicroUsd } = spentOn(attempts);
      return { ok: true, call, text, finish, usage: usage ?? result.usage, costMicroUsd, key };
    }
    case 'failed': {
      const { call, class: kind, said, attempts } = result;
      return { ok: false, call, kind, message: `${order.request.model}: ${said}`, ...spentOn(attempts) };
    }
    case 'exhausted':
    case 'over_budget':
      throw waitError(result, order, lookedIn);
  }
}

function promptOf(segments: readonly PromptSegment[], cut: Prompt['cut']): Prompt {
  const tokens: [number, number, number, number, number] = [0, 0, 0, 0, 0];
  for (const segment of segments) tokens[segment.layer - 1] = (tokens[segment.layer - 1] ?? 0) + segment.tokens;
  return { segments, cut, tokens };
}

/** Returns the result from the log, so that a call that was already billed is not repeated. */
export function replyFrom({
  call,
  answer,
  attempts,
  tokens_used: usage,
  cost,
  request,
}: CallRecord): KnownAnswer | null {
  const last = attempts.at(-1);
  if (answer === null || last === undefined || usage === null) return null;
  return {
    reply: { ok: true, call, ...answer, usage, costMicroUsd: cost.micro_usd, key: last.key },
    prompt: promptOf(request.segments, request.cut),
  };
}
