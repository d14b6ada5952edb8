/**
 * Maximum token count that is accepted for one call. A larger count is a mistake or an attack: sums would become
 * inexact, and one call would use up every budget.
 */
const MOST_TOKENS = 1_000_000_000;

/** Returns whether a value reported by a provider or an agent is a plausible token count of one call. */
export const isTokenCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= MOST_TOKENS;
