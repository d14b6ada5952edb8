/** A deadline for one file: parsing and queries abort when it has passed. */
export interface TimeBudget {
  readonly isSpent: () => boolean;
}

/** Longest that one file may take. Hostile nesting makes queries quadratic. */
export const FILE_BUDGET_MS = 1_000;

export function startBudget(milliseconds: number = FILE_BUDGET_MS): TimeBudget {
  const end = performance.now() + milliseconds;
  let spent = false;
  return {
    isSpent: () => {
      spent ||= performance.now() > end;
      return spent;
    },
  };
}
