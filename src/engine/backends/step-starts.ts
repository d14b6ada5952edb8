import type { LocalKey } from '#protocol/journal.ts';

/** One execution of a step. */
export interface StepExecution {
  readonly key: LocalKey;
  readonly attempt: number;
  /** Aborted when the execution is stopped. */
  readonly signal: AbortSignal;
}

/** The executions whose intent was written, but whose worker was not started. */
export type StepStarts = ReturnType<typeof createStepStarts>;

/**
 * Tracks executions between their intent and the start of their worker. An execution that is stopped in between has not
 * started, and must not be treated as interrupted by a crash.
 */
export function createStepStarts(keep: (one: StepExecution) => void) {
  const all = new Set<StepExecution>();
  const keepNotStarted = (one: StepExecution): void => {
    if (all.delete(one)) keep(one);
  };
  return {
    add: (one: StepExecution): void => void all.add(one),
    /** Records that the worker has started. */
    began: (one: StepExecution): void => void all.delete(one),
    keepNotStarted,
    /**
     * Records the executions that were stopped before their worker started. Called before interrupted steps and the end
     * of the run are recorded.
     */
    keepStopped: (): void => {
      for (const one of all) if (one.signal.aborted) keepNotStarted(one);
    },
  };
}
