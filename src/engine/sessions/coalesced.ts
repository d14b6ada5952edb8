/** At most one of it under way: who asks while it is gets what begins after it, together with all others who ask meanwhile. */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    const done = work().finally(() => {
      if (current === done) current = null;
    });
    current = done;
    return done;
  };
  return () => {
    if (current === null) return begin();
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  };
}
