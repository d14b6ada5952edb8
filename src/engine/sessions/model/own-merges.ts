/** Merges that the engine makes itself: while one is under way, the main checkout may change. */
export interface OwnMerges {
  during<Value>(merge: () => Promise<Value>): Promise<Value>;
  /** Another one than before as soon as a merge has begun or ended; null: one is under way. */
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
