/** The memory budget of all pending requests. */
export interface RequestMemory {
  /** Reserves memory; false if there is not enough left. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** The minimum charge for a request in bytes, which covers its answer and its promise. */
const LEAST = 1_024;

export function requestMemory(most: number): RequestMemory {
  let taken = 0;
  return {
    take: (bytes) => {
      if (taken + Math.max(bytes, LEAST) > most) return false;
      taken += Math.max(bytes, LEAST);
      return true;
    },
    give: (bytes) => (taken -= Math.max(bytes, LEAST)),
  };
}

/**
 * Returns the memory budget of one connection. It takes its memory from the common budget, and returns it when the
 * connection ends.
 */
export function connectionMemory(all: RequestMemory): RequestMemory & { end(): void } {
  const held: number[] = [];
  const give = (bytes: number): void => {
    const at = held.indexOf(bytes);
    if (at === -1) return;
    held.splice(at, 1);
    all.give(bytes);
  };
  return {
    take: (bytes) => {
      if (!all.take(bytes)) return false;
      held.push(bytes);
      return true;
    },
    give,
    end: () => {
      for (const bytes of held.splice(0)) all.give(bytes);
    },
  };
}
