import type { Frame, Visit } from '#machines/run/state.ts';
import type { OnAiFact } from '#protocol/ai-fact.ts';

/** Calls of models as events of the visit that makes them, while it stands. */
export const tellFacts =
  ({ run }: Frame, { scope }: Visit, signal: AbortSignal): OnAiFact =>
  (fact) => {
    if (!signal.aborted) run.record({ ...fact, ...scope });
  };
