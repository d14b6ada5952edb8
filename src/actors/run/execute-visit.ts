import { countSpending, spentBy } from '#logic/calls/count-spending.ts';
import { NO_RECOVERY_YET } from '#machines/run/next-policy.ts';
import type { VisitEnd, ExecuteVisit } from '#machines/run/state.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Failure } from '#protocol/response.ts';
import type { TimedValue, StepResult } from '#protocol/run.ts';
import { REJECTED } from '#protocol/signal.ts';
import { addGuidance } from './halts.ts';
import { cancelledWorkersEnded } from './settled-or-timeout.ts';
import { beginAttempt, beginRecovered } from './begin-attempt.ts';
import { concludeByHand, concludeExecution, concludeInterrupted } from './conclude-execution.ts';
import { type BegunExecution, emitFacts, type VisitExecution, moveBlock, type VisitParts } from './execution.ts';
import { haltVisit, holdUntilStopped, type WaitingStep } from './halt-visit.ts';

const STOPPED: VisitEnd = { kind: 'left', to: null };

interface Once {
  readonly attempted: BegunExecution;
  readonly known: TimedValue<StepResult>;
}

/**
 * Waits until the replay has returned all remembered values. If the next attempt had already begun before the restart,
 * it is counted in `visit.attempts`, and the promise resolves to 1, otherwise to 0.
 */
async function untilLive({ parts: { context }, visit }: VisitExecution, replayed: Promise<void>): Promise<0 | 1> {
  const begun = context.wasBegun(visit.key, visit.attempts + 1) ? 1 : 0;
  visit.attempts += begun;
  await replayed;
  return begun;
}

/** Executes the worker once, or uses the remembered outcome; null if the visit was stopped meanwhile. */
async function executeOnce(execution: VisitExecution): Promise<Once | null> {
  const { parts, frame, visit, signal } = execution;
  const { context } = parts;
  if (context.remembers(visit.key, visit.attempts + 1)) {
    const attempted = beginRecovered(execution);
    return { attempted, known: await context.recall(visit.key, visit.attempts, signal) };
  }
  const replayed = context.live(signal);
  const begun = replayed === null ? 0 : await untilLive(execution, replayed);
  if (frame.run.pausing) await holdUntilStopped(execution);
  // An attempt that had begun before the restart stays counted, even if it is cancelled before it can begin again.
  if (signal.aborted) return null;
  visit.attempts -= begun;
  const beginning = beginAttempt(execution);
  const attempted = beginning instanceof Promise ? await beginning : beginning;
  if (frame.run.leaving.length > 0) await cancelledWorkersEnded(execution);
  if (signal.aborted) return null;
  const { ready: memory, unreadable } = attempted;
  const refused = unreadable === null ? {} : { refused: unreadable };
  const spec = { worker: visit.block.worker, role: 'block', attempt: visit.attempts, memory, ...refused } as const;
  const progress = (text: string): void => frame.run.record({ ...attempted.scope, type: 'block.progress', text });
  return { attempted, known: await context.step(visit.key, spec, signal, progress, emitFacts(frame, visit, signal)) };
}

/** Starts a new request after a person rolled back the last execution with guidance. */
function startAfresh(execution: VisitExecution, guidance: string, when: number): void {
  addGuidance(execution.frame, execution.visit, guidance, when);
  execution.recovery = NO_RECOVERY_YET;
  execution.repaired = null;
}

/** Concludes an execution. Returns null to execute the block again. */
function conclude(execution: VisitExecution, { attempted, known }: Once): Promise<VisitEnd | null> | VisitEnd | null {
  const { value: stepped, at } = known;
  if (stepped.kind === 'wait') return waitOutside(execution, stepped);
  moveBlock(execution, 'finish');
  if (stepped.kind === 'again') {
    execution.frame.run.record({ ...attempted.scope, type: 'block.cut_off', after: stepped.after });
    if (stepped.guidance !== undefined) startAfresh(execution, stepped.guidance, at);
    return null;
  }
  return concludeExecution(execution, attempted, stepped.outcome, at);
}

/**
 * Halts after an execution during which the main checkout changed. With the answer `proceed`, the outcome of the
 * execution applies.
 */
async function haltAfter(
  execution: VisitExecution,
  { value }: TimedValue<StepResult>,
  ended: VisitEnd | null,
): Promise<VisitEnd | null> {
  const message = value.kind === 'done' ? value.mainChanged : undefined;
  if (message === undefined || execution.signal.aborted || ended?.kind === 'left') return ended;
  const decision = await haltVisit(execution, 'main_changed', {
    kind: 'wait',
    why: 'main_changed',
    until: null,
    message,
  });
  if (decision.kind === 'stopped') return STOPPED;
  return decision.kind === 'elsewhere' ? { kind: 'left', to: decision.to } : ended;
}

/** Executes the block, repeated as its policies decide, until there is a signal. */
async function attempts(execution: VisitExecution): Promise<VisitEnd> {
  const { signal } = execution;
  for (;;) {
    const once = await executeOnce(execution);
    // The usage of a stopped execution counts as well: it was paid for.
    if (once !== null) countSpending(execution.frame.run, spentBy(once.known.value));
    if (once === null || signal.aborted) return STOPPED;
    const concluded = conclude(execution, once);
    const ended = await haltAfter(execution, once.known, concluded instanceof Promise ? await concluded : concluded);
    if (ended !== null) return ended;
    if (signal.aborted) return STOPPED;
  }
}

/** Returns the halt of an interrupted block whose evidence shows that it is not done. */
const notDone = (waits: WaitingStep, { details: { message, evidence } }: Failure): WaitingStep => {
  const logs = Array.isArray(evidence) ? evidence.map(logOf) : [];
  const text = [typeof message === 'string' ? `${message}. It is not taken as done.` : waits.message, ...logs];
  return { ...waits, message: text.filter((one) => one !== '').join('\n') };
};

/** Returns the log of a failed piece of evidence, which is a string of an object. */
function logOf(evidence: JsonValue): string {
  const log = typeof evidence === 'object' && evidence !== null && 'log' in evidence ? evidence['log'] : '';
  return typeof log === 'string' ? log.trimEnd() : '';
}

/**
 * Waits for a person or until a time. Returns null to execute the block again, which happens at that time or after the
 * answer `retry`. The answer `proceed` reports an interrupted block as done.
 */
async function waitOutside(execution: VisitExecution, waits: WaitingStep): Promise<VisitEnd | null> {
  for (let halt = waits; ;) {
    const decision = await haltVisit(execution, halt.why, halt);
    if (decision.kind === 'stopped') return STOPPED;
    if (decision.kind === 'elsewhere') return { kind: 'left', to: decision.to };
    if (decision.kind !== 'proceed') return null;
    const ended = await concludeInterrupted(execution);
    if ('kind' in ended) return ended;
    halt = notDone(waits, ended);
  }
}

/** Halts the visit for a gate, step mode or manual intervention if required, then executes the block. */
async function haltFirst(execution: VisitExecution, manual: boolean): Promise<VisitEnd> {
  const { visit, parts } = execution;
  if (!visit.passed && (visit.block.gate || parts.stepMode)) {
    const decision = await haltVisit(execution, visit.block.gate ? 'gate' : 'step');
    if (decision.kind === 'stopped') return STOPPED;
    if (decision.kind === 'elsewhere') return { kind: 'left', to: decision.to };
    visit.passed = true;
  }
  if (!manual) return attempts(execution);
  const decision = await haltVisit(execution, 'manual');
  if (decision.kind === 'stopped') return STOPPED;
  if (decision.kind === 'reject') return { kind: 'signalled', signal: REJECTED, failure: null };
  return decision.kind === 'elsewhere' ? { kind: 'left', to: decision.to } : concludeByHand(execution);
}

/** Executes a visit from its entry to its signal: halts before execution, memory, worker, recovery, result. */
export const executeVisit =
  (parts: VisitParts): ExecuteVisit =>
  (frame, visit, signal) => {
    const execution: VisitExecution = {
      parts,
      frame,
      visit,
      signal,
      state: 'READY',
      recovery: NO_RECOVERY_YET,
      repaired: null,
    };
    const { block } = visit;
    const manual = parts.findWorker(block.worker, block.id)?.manual === true;
    return manual || block.gate || parts.stepMode ? haltFirst(execution, manual) : attempts(execution);
  };
