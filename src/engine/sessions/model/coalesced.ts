/** At most one of it under way: who asks while it is gets what begins after it, together with all others who ask meanwhile. */
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
    // One that others wait for begins a moment after the last one is over.
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
