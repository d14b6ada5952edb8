/** Tracks the engine's own merges, during which the main checkout may change. */
export interface OwnMerges {
  during<Value>(merge: () => Promise<Value>): Promise<Value>;
  /** Returns a number that changes when a merge starts or ends; null during a merge. */
  epoch(): number | null;
}

export function createOwnMerges(): OwnMerges {
  let begun = 0;
  let ended = 0;
  return {
    during: async (merge) => {
      begun += 1;
      try {
        return await merge();
      } finally {
        ended += 1;
      }
    },
    epoch: () => (begun === ended ? ended : null),
  };
}
