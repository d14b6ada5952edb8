import type { Frame, Visit } from '#machines/run/state.ts';
import type { OnStepFact } from '#protocol/run.ts';

/** Emits model calls and changes of the main checkout as events of a visit, until the visit has ended. */
export const emitFacts =
  ({ run }: Frame, { scope }: Visit, signal: AbortSignal): OnStepFact =>
  (fact) => {
    if (!signal.aborted) run.record({ ...scope, ...fact });
  };
