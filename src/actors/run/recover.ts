import { nextPolicy } from '#machines/run/next-policy.ts';
import type { Signal } from '#protocol/id.ts';
import type { Failure } from '#protocol/response.ts';
import { ERROR, TIMEOUT } from '#protocol/signal.ts';
import type { VisitEnd } from '#machines/run/state.ts';
import type { VisitExecution, FailedAttempt } from './execution.ts';
import { haltVisit, holdUntilStopped } from './halt-visit.ts';
import { makeRepair, type RepairResult } from './repair.ts';

const engineSignal = ({ reason }: Failure): Signal => (reason === 'timeout' ? TIMEOUT : ERROR);

function giveUp(
  { frame, visit }: VisitExecution,
  { scope }: FailedAttempt,
  failure: Failure,
  signal: Signal,
): VisitEnd {
  const { run } = frame;
  run.record({
    ...scope,
    type: 'block.finished',
    signal,
    origin: 'engine',
    appended: 0,
    exports: [],
    stats: {},
    duration_ms: run.now() - scope.started_at,
  });
  return {
    kind: 'signalled',
    signal,
    failure: { ...failure, details: { ...failure.details, attempts: visit.attempts } },
  };
}

const unsafe = (failure: Failure): Failure => ({
  reason: 'unsafe_to_retry',
  details: {
    message:
      'The execution failed after it had started. It is not repeated, because that could repeat its effects (non_idempotent)',
    cause: { reason: failure.reason, details: failure.details },
  },
  errorType: failure.errorType,
});

/**
 * Waits until the next attempt may begin. The delay counts from the failure at the time `at`, and its end is recorded, so
 * that a crash does not begin it anew. `longestMs` is the longest delay that the jitter allows.
 */
async function pause(
  { parts, frame, visit, signal }: VisitExecution,
  at: number,
  delayMs: number,
  longestMs: number,
): Promise<void> {
  const { context, clock } = parts;
  const next = visit.attempts + 1;
  // The next attempt had begun before the run was resumed, so the delay is over.
  if (context.remembers(visit.key, next) || context.wasBegun(visit.key, next)) return;
  // A delay begins after the replay, which would wait for it otherwise.
  const replayed = context.live(signal);
  if (replayed !== null) await replayed;
  const known = context.recallDelay(visit.key, visit.attempts);
  const until = known ?? at + delayMs;
  // A clock that was set back meanwhile does not prolong the delay.
  const rest = Math.min(until - clock.now(), longestMs);
  if (rest <= 0) return;
  if (known === null) context.keepDelay(visit.key, visit.attempts, until);
  await clock.sleep(rest, signal, frame.path);
}

async function repair(
  execution: VisitExecution,
  failed: FailedAttempt,
  worker: string,
  ordinal: number,
): Promise<RepairResult> {
  const { parts, frame, visit, signal } = execution;
  const { failure, scope } = failed;
  const repaired = await makeRepair({
    context: parts.context,
    frame,
    visit,
    worker,
    ordinal,
    failure,
    signal,
    memory: () => failed.memory(),
    halt: (waits) => haltVisit(execution, waits.why, waits),
    park: () => holdUntilStopped(execution),
  });
  if (repaired.kind === 'left') return repaired;
  const made = repaired.kind === 'made';
  frame.run.record({ ...scope, type: 'recovery.repair', reason: failure.reason, worker, made });
  if (repaired.kind === 'made') {
    execution.repaired = repaired.payload;
    execution.recovery = { ...execution.recovery, executions: 0 };
  }
  return repaired;
}

/**
 * Applies the policies until one has something to execute. Returns null to execute again; otherwise the visit has
 * ended.
 */
export async function recover(execution: VisitExecution, failed: FailedAttempt): Promise<VisitEnd | null> {
  const { frame, visit } = execution;
  const { failure, started, scope } = failed;
  const signal = engineSignal(failure);
  execution.recovery = { ...execution.recovery, executions: execution.recovery.executions + 1 };
  for (let repairs = 1; ;) {
    const { remedy, state } = nextPolicy(visit.block.recovery, failure.reason, execution.recovery);
    execution.recovery = state;
    if (remedy.kind === 'give_up') {
      if (remedy.exhausted) frame.run.record({ ...scope, type: 'recovery.exhausted', reason: failure.reason });
      return giveUp(execution, failed, failure, signal);
    }
    if (failure.details['unchecked'] === true) return giveUp(execution, failed, failure, signal);
    const mayRepeat = remedy.kind === 'retry' && remedy.repeatsEffects && failure.reason === 'evidence_failed';
    if (started && failed.sideEffects === 'non_idempotent' && !mayRepeat)
      return giveUp(execution, failed, unsafe(failure), signal);
    if (remedy.kind === 'retry') {
      const delayMs = Math.round(remedy.delayMs * (1 + remedy.jitter * (2 * execution.parts.random() - 1)));
      frame.run.record({ ...scope, type: 'recovery.retry', reason: failure.reason, delay_ms: delayMs });
      await pause(execution, failed.at, delayMs, remedy.delayMs * (1 + remedy.jitter));
      return null;
    }
    const repaired = await repair(execution, failed, remedy.worker, repairs);
    if (repaired.kind === 'left') return repaired;
    if (repaired.kind === 'made') return null;
    repairs += 1;
  }
}
