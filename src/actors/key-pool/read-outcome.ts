import type { AiRequest, AttemptFacts, AttemptOutcome } from '#protocol/ai-call.ts';
import { type Classified, classify } from '#machines/key/classify.ts';

const failing = (failure: Classified['class'], code: string, said: string): Classified => ({
  class: failure,
  retryAt: null,
  status: 200,
  code,
  said,
  ofModel: false,
});

/** Without limits: they are nobody's setting. */
type Asked = Pick<AiRequest, 'provider'> & Partial<Pick<AiRequest, 'limits'>>;

/** Of a limit that is ours: the manifest has it. */
function inWords(limit: NonNullable<AttemptFacts['limit']>, limits: AiRequest['limits']): string {
  const seconds = (ms: number): string => `${String(ms / 1_000)} s`;
  if (limit === 'first_token') return `Nothing came for ${seconds(limits.firstTokenMs)} (first_token_ms).`;
  if (limit === 'idle') return `The answer stood still for ${seconds(limits.idleMs)} (idle_ms).`;
  return `The answer was not there after ${seconds(limits.totalMs)} (total_ms).`;
}

/** Null: a good answer. One that ended early, says nothing or was held back is none. */
export function failureOf(asked: Asked, outcome: AttemptOutcome, now: number): Classified | null {
  if (!outcome.ok) {
    const failure = classify(asked.provider, outcome.facts, now);
    const { limit } = outcome.facts;
    const { limits } = asked;
    return limit === undefined || limits === undefined ? failure : { ...failure, said: inWords(limit, limits) };
  }
  const { finish, text } = outcome;
  if (finish === 'interrupted') return failing('stream_cut', finish, 'The answer ended before it was complete.');
  if (finish === 'content_filter') return failing('content_filter', finish, 'The provider held the answer back.');
  if (text.trim() === '' && finish !== 'length') return failing('empty', finish, 'The answer was empty.');
  return null;
}
