import type { Spending } from '../generated/view.gen.ts';

export const NO_SPENDING: Spending = { input: 0, output: 0, microUsd: 0, atLeast: false };

/** Sums two amounts. A part without a known price makes the sum a minimum; it is never counted as zero. */
export function addSpending(one: Spending, other: Spending): Spending {
  const isLeast = [one, other].some(({ microUsd, atLeast }) => microUsd === null || atLeast);
  const known = (one.microUsd ?? 0) + (other.microUsd ?? 0);
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    microUsd: isLeast && known === 0 ? null : known,
    atLeast: isLeast,
  };
}
