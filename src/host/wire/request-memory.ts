/** What requests under way may take of this process's memory, all together. */
export interface RequestMemory {
  /** False: there is not so much left. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** Also a small one has its answer, and whoever waits for it. */
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

/** Of one connection: at its end all of it is given back. */
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
