import { type Attempt, withinCheckLimit } from '#actors/run/index.ts';
import { readCompletion } from '#machines/run/read-completion.ts';
import type { SideEffects } from '#protocol/graph.ts';
import type { StepResult, StepOutcome } from '#protocol/run.ts';
import { sumSpent } from '#protocol/call-record.ts';

export const unsafe = (who: string): StepResult => ({
  kind: 'wait',
  why: 'unsafe',
  until: null,
  message: `${who} was interrupted, and executing it again could repeat its effects. Check whether it has done its work. If it has, answer with proceed.`,
});

export const crashedTooOften = (who: string, crashes: number): StepResult => ({
  kind: 'wait',
  why: 'circuit_open',
  until: null,
  message: `${who} has crashed the engine ${crashes} times. Find out why before you execute it again.`,
});

export type InterruptedOutcome =
  | { readonly kind: 'done'; readonly outcome: StepOutcome }
  | { readonly kind: 'not_done' }
  | { readonly kind: 'unknown' };

const UNKNOWN: InterruptedOutcome = { kind: 'unknown' };

/** Asks the worker, after a crash, whether the execution was done. A late or malformed answer counts as `unknown`. */
export async function completed(attempt: Attempt, sideEffects: SideEffects): Promise<InterruptedOutcome> {
  const { worker, memory, services } = attempt;
  if (worker.checkCompletion === undefined) return UNKNOWN;
  try {
    const check = readCompletion(
      await withinCheckLimit(attempt, async () => worker.checkCompletion?.(memory, services)),
    );
    if (!check.ok) return UNKNOWN;
    const { completion } = check;
    return completion.kind === 'done'
      ? { kind: 'done', outcome: { ok: true, sideEffects, result: completion.result } }
      : completion;
  } catch {
    return UNKNOWN;
  }
}

/**
 * Returns the usage of an interrupted execution from the call log. If that can't be read, the cost is unknown, never
 * zero.
 */
export async function interruptedUsage(attempt: Attempt | null): Promise<Pick<StepResult, 'spent'>> {
  const { services, memory } = attempt ?? {};
  if (services === undefined || memory === undefined) return {};
  try {
    const [first, ...others] = (await services.ai?.spent?.(memory.system)) ?? [];
    return first === undefined ? {} : { spent: others.reduce(sumSpent, first) };
  } catch {
    return { spent: { tokens: 0, microUsd: null } };
  }
}
