import { rejectionsLeft } from '#machines/run/rejections.ts';
import { stopMoving } from '#machines/run/visit.ts';
import type { HaltReason } from '#protocol/response.ts';
import type { StepResult } from '#protocol/run.ts';
import { type VisitExecution, moveBlock } from './execution.ts';
import type { HaltDecision } from './halts.ts';

/** The outcome of an execution that waits. */
export type WaitingStep = Extract<StepResult, { kind: 'wait' }>;

/** Halts in the middle of a visit and resolves to the decision. */
export async function haltVisit(
  execution: VisitExecution,
  why: HaltReason,
  waits?: WaitingStep,
): Promise<HaltDecision> {
  const { parts, frame, visit, signal } = execution;
  const { until = null, message } = waits ?? {};
  const left = why === 'manual' ? rejectionsLeft(frame, visit.block) : null;
  const opening = {
    block: visit.block.id,
    why,
    until,
    ...(message === undefined ? {} : { message }),
    ...(left === null ? {} : { rejections_left: left }),
  };
  moveBlock(execution, 'wait');
  const decision = await parts.askInVisit(frame, visit, opening, signal);
  moveBlock(execution, decision.kind === 'elsewhere' || decision.kind === 'stopped' ? 'leave' : 'resume');
  return decision;
}

/**
 * Holds a visit of a run that is being paused. The run starts nothing new, and is stopped once none of its visits
 * moves.
 */
export function holdUntilStopped({ frame, visit, signal }: VisitExecution): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  stopMoving(frame, visit);
  return stopped;
}
