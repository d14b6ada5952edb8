import type { Frame, Visit } from '#machines/run/state.ts';
import type { OnStepFact } from '#protocol/run.ts';

/** Calls of models, and changes of the main checkout, as events of the visit that makes them, while it stands. */
export const tellFacts =
  ({ run }: Frame, { scope }: Visit, signal: AbortSignal): OnStepFact =>
  (fact) => {
    if (!signal.aborted) run.record({ ...scope, ...fact });
  };
