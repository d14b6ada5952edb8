import type { Frame, Visit } from '#machines/run/state.ts';
import type { OnStepFact } from '#protocol/run.ts';

/** Emits model calls, and changes of the main checkout, as events of their visit while it lasts. */
export const emitFacts =
  ({ run }: Frame, { scope }: Visit, signal: AbortSignal): OnStepFact =>
  (fact) => {
    if (!signal.aborted) run.record({ ...scope, ...fact });
  };
