import { findCall, type LogPlace } from '#actors/call-log/index.ts';
import type { TokenUsage } from '#protocol/ai-call.ts';
import type { CallPlace, KnownAnswer } from '#protocol/ai-service.ts';

const NOTHING_USED: TokenUsage = { input: 0, output: 0, cached: 0, reasoning: 0, source: 'estimated' };

/** What an execution was answered before its engine was killed: the log has an answer before anything is made of it. */
export function knownAnswer(log: LogPlace, place: CallPlace): KnownAnswer | null {
  const record = findCall(log, place);
  if (record === null || record.answer === null) return null;
  const { call, answer, request, tokens_used: usage, cost, attempts } = record;
  const { segments, cut } = request;
  const of = (layer: number): number =>
    segments.reduce((sum, segment) => sum + (segment.layer === layer ? segment.tokens : 0), 0);
  return {
    reply: {
      ...{ ok: true, call, text: answer.text, finish: answer.finish, usage: usage ?? NOTHING_USED },
      costMicroUsd: cost.micro_usd,
      key: attempts.at(-1)?.key ?? '',
    },
    prompt: { segments, cut, tokens: [of(1), of(2), of(3), of(4), of(5)] },
  };
}
