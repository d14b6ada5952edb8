import { type Attempt, withinCheckLimit } from '#actors/run/index.ts';
import { checkResult } from '#machines/run/check-result.ts';
import { together } from '#machines/run/count-spending.ts';
import type { SideEffects } from '#protocol/graph.ts';
import type { Stepped, StepOutcome } from '#protocol/run.ts';

export const unsafe = (who: string): Stepped => ({
  kind: 'wait',
  why: 'unsafe',
  until: null,
  message: `${who} was interrupted, and executing it again could repeat its effects. Check whether it has done its work.`,
});

export const crashedTooOften = (who: string, crashes: number): Stepped => ({
  kind: 'wait',
  why: 'circuit_open',
  until: null,
  message: `${who} has crashed the engine ${crashes} times`,
});

/** Asks a worker whether an interrupted execution was done. No answer within the time limit counts as no. */
export async function completed(attempt: Attempt, sideEffects: SideEffects): Promise<StepOutcome | null> {
  const { worker, memory, services } = attempt;
  if (worker.checkCompletion === undefined) return null;
  try {
    const found = await withinCheckLimit(attempt, async () => worker.checkCompletion?.(memory, services));
    if (found === null || found === undefined) return null;
    const check = checkResult(found);
    return check.ok ? { ok: true, sideEffects, result: check.result } : null;
  } catch {
    return null;
  }
}

/**
 * Returns the usage of an interrupted execution from the call log. If that can't be read, the cost is unknown, never
 * zero.
 */
export async function usedUnheard(attempt: Attempt | null): Promise<Pick<Stepped, 'spent'>> {
  const { services, memory } = attempt ?? {};
  if (services === undefined || memory === undefined) return {};
  try {
    const [first, ...others] = (await services.ai?.spent?.(memory.system)) ?? [];
    return first === undefined ? {} : { spent: others.reduce(together, first) };
  } catch {
    return { spent: { tokens: 0, microUsd: null } };
  }
}
