/** Counts the scheduled turns of the event loop, so that virtual time advances only when no turn is pending. */
export function createCountedTurns() {
  let open = 0;
  return {
    nextTurn: (work: () => void): void => {
      open += 1;
      setImmediate(() => {
        open -= 1;
        work();
      });
    },
    rest: async (): Promise<void> => {
      do await new Promise((resolve) => setImmediate(resolve));
      while (open > 0);
    },
  };
}

export type CountedTurns = ReturnType<typeof createCountedTurns>;
