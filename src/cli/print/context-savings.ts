import type { ContextSavings } from '#engine/authoring.ts';

/** Returns what context slices saved, for people; null if there were none. */
export const savingsText = ({ slices, tokens, tokens_saved: saved }: ContextSavings): string | null =>
  slices === 0
    ? null
    : `${slices} ${slices === 1 ? 'context slice' : 'context slices'}: about ${tokens} tokens, ${saved} saved compared with sending the whole files`;
