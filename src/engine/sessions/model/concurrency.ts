/** Runs `work` at most once at a time. Calls during an active run share the run that follows it. */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    current = work().finally(() => {
      current = null;
    });
    return current;
  };
  return () => {
    // `next` may exist without an active run: it starts shortly after the previous run has ended.
    if (current === null) return next ?? begin();
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  };
}
