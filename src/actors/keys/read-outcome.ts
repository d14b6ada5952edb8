import type { AiRequest, AttemptFacts, AttemptOutcome, FinishReason } from '#protocol/ai-call.ts';
import { type ClassifiedFailure, classify } from '#logic/keys/classify.ts';

const failing = (failure: ClassifiedFailure['class'], code: string, said: string): ClassifiedFailure => ({
  class: failure,
  retryAt: null,
  status: 200,
  code,
  said,
  ofModel: false,
});

/**
 * A request of which only the provider and the limits are used. The limits may be missing, since not all callers set
 * them.
 */
type TimedRequest = Pick<AiRequest, 'provider'> & Partial<Pick<AiRequest, 'limits'>>;

/** Names the time limit of the manifest that was exceeded. */
function inWords(limit: NonNullable<AttemptFacts['limit']>, limits: AiRequest['limits']): string {
  const seconds = (ms: number): string => `${String(ms / 1_000)} s`;
  if (limit === 'first_token') return `No answer began within ${seconds(limits.firstTokenMs)} (first_token_ms).`;
  if (limit === 'silent') return 'The provider accepted the request, and then sent nothing for 10 minutes.';
  if (limit === 'idle') return `The answer paused for ${seconds(limits.idleMs)} (idle_ms).`;
  return `The answer was not complete after ${seconds(limits.totalMs)} (total_ms).`;
}

const EMPTY: Readonly<Partial<Record<FinishReason, string>>> = {
  tool_calls: 'The model called a tool instead of answering, although no tools were offered to it.',
};

/**
 * Returns why an outcome failed, or null for a complete answer. An answer that ended early, is empty or was filtered
 * counts as failed.
 */
export function failureOf(asked: TimedRequest, outcome: AttemptOutcome, now: number): ClassifiedFailure | null {
  if (!outcome.ok) {
    const failure = classify(asked.provider, outcome.facts, now);
    const { limit } = outcome.facts;
    const { limits } = asked;
    return limit === undefined || limits === undefined ? failure : { ...failure, said: inWords(limit, limits) };
  }
  const { finish, text } = outcome;
  if (finish === 'interrupted') return failing('stream_cut', finish, 'The answer ended before it was complete.');
  if (finish === 'content_filter')
    return failing('content_filter', finish, "The provider's content filter withheld the answer.");
  if (text.trim() === '' && finish !== 'length')
    return failing('empty', finish, EMPTY[finish] ?? 'The answer was empty.');
  return null;
}
