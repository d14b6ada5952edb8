/**
 * Maximum number of tokens that is accepted as the count of one call. A larger count is a mistake or an attack: sums of
 * such counts would be inexact, and one call would use up every budget.
 */
const MOST_TOKENS = 1_000_000_000;

/** Returns whether a value, as a provider or an agent reports it, can be the token count of one call. */
export const isTokenCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= MOST_TOKENS;
