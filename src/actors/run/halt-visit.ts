import { holdStill } from '#machines/run/visit.ts';
import type { HaltReason } from '#protocol/response.ts';
import type { Stepped } from '#protocol/run.ts';
import { type Execution, moveBlock } from './execution.ts';
import type { HaltDecision } from './halts.ts';

/** What an execution said instead of a result. */
export type Waits = Extract<Stepped, { kind: 'wait' }>;

/** Asks a person in the middle of a visit. */
export async function haltVisit(execution: Execution, why: HaltReason, waits?: Waits): Promise<HaltDecision> {
  const { parts, frame, visit, signal } = execution;
  const { until = null, message } = waits ?? {};
  const opening = { block: visit.block.id, why, until, ...(message === undefined ? {} : { message }) };
  moveBlock(execution, 'wait');
  const decision = await parts.askInVisit(frame, visit, opening, signal);
  moveBlock(execution, decision.kind === 'elsewhere' || decision.kind === 'stopped' ? 'leave' : 'resume');
  return decision;
}

/** A run that pauses begins nothing; it is stopped when nothing moves any more. */
export function parked({ frame, visit, signal }: Execution): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  holdStill(frame, visit);
  return stopped;
}
