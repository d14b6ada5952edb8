import type { LocalKey } from '#protocol/journal.ts';

/** One execution of a step. */
export interface Execution {
  readonly key: LocalKey;
  readonly attempt: number;
  /** Aborted if it was stopped. */
  readonly signal: AbortSignal;
}

/** The executions whose intent was written, but whose worker was not started. */
export type Beginnings = ReturnType<typeof createBeginnings>;

/**
 * Tracks executions between their intent and the start of their worker. If stopped there, they have not started, and
 * must not be taken for interrupted ones.
 */
export function createBeginnings(keep: (one: Execution) => void) {
  const all = new Set<Execution>();
  const keepUnbegun = (one: Execution): void => {
    if (all.delete(one)) keep(one);
  };
  return {
    add: (one: Execution): void => void all.add(one),
    /** Records that the worker has started. */
    began: (one: Execution): void => void all.delete(one),
    keepUnbegun,
    /** Writes the stopped ones, before the lines of interrupted steps and before the last line of the run. */
    keepStopped: (): void => {
      for (const one of all) if (one.signal.aborted) keepUnbegun(one);
    },
  };
}
