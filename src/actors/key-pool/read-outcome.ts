import type { AttemptOutcome, ProviderName } from '#protocol/ai-call.ts';
import { type Classified, classify } from '#machines/key/classify.ts';

const failing = (failure: Classified['class'], code: string, said: string): Classified => ({
  class: failure,
  retryAt: null,
  status: 200,
  code,
  said,
  ofModel: false,
});

/** Null: a good answer. One that ended early, says nothing or was held back is none. */
export function failureOf(provider: ProviderName, outcome: AttemptOutcome, now: number): Classified | null {
  if (!outcome.ok) return classify(provider, outcome.facts, now);
  const { finish, text } = outcome;
  if (finish === 'interrupted') return failing('stream_cut', finish, 'The answer ended before it was complete.');
  if (finish === 'content_filter') return failing('content_filter', finish, 'The provider held the answer back.');
  if (text.trim() === '' && finish !== 'length') return failing('empty', finish, 'The answer was empty.');
  return null;
}
