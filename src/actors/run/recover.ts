import { nextPolicy } from '#machines/run/next-policy.ts';
import type { Signal } from '#protocol/id.ts';
import type { Failure } from '#protocol/response.ts';
import { ERROR, TIMEOUT } from '#protocol/signal.ts';
import type { Ended } from '#machines/run/visit.logic.ts';
import type { Execution, FailedAttempt } from './execution.ts';
import { makeRepair } from './repair.ts';

const engineSignal = ({ reason }: Failure): Signal => (reason === 'timeout' ? TIMEOUT : ERROR);

function giveUp({ frame, visit }: Execution, { scope }: FailedAttempt, failure: Failure, signal: Signal): Ended {
  const { run } = frame;
  run.record({
    type: 'block.finished',
    ...scope,
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
    message: 'A non_idempotent execution that had started failed; repeating it could repeat its effects',
    cause: { reason: failure.reason, details: failure.details },
  },
  errorType: failure.errorType,
});

async function pause({ parts, frame, signal }: Execution, delayMs: number, jitter: number): Promise<void> {
  const varied = delayMs * (1 + jitter * (2 * parts.random() - 1));
  if (varied > 0) await parts.clock.sleep(varied, signal, frame.path);
}

async function repair(execution: Execution, failed: FailedAttempt, worker: string): Promise<boolean> {
  const { parts, frame, visit, signal } = execution;
  const { memory, failure, scope } = failed;
  const repaired = await makeRepair({ context: parts.context, frame, visit, worker, memory, failure, signal });
  const made = repaired !== null;
  frame.run.record({ type: 'recovery.repair', ...scope, reason: failure.reason, worker, made });
  if (repaired === null) return false;
  execution.repaired = repaired;
  execution.recovery = { ...execution.recovery, executions: 0 };
  return true;
}

/** Asks the policies until one has something to execute (spec/engine.md "Recovery"). Null: execute again; else the visit is over. */
export async function recover(execution: Execution, failed: FailedAttempt): Promise<Ended | null> {
  const { frame, visit } = execution;
  const { failure, started, scope } = failed;
  const signal = engineSignal(failure);
  execution.recovery = { ...execution.recovery, executions: execution.recovery.executions + 1 };
  for (;;) {
    const { remedy, state } = nextPolicy(visit.block.recovery, failure.reason, execution.recovery);
    execution.recovery = state;
    if (remedy.kind === 'give_up') {
      if (remedy.exhausted) frame.run.record({ type: 'recovery.exhausted', ...scope, reason: failure.reason });
      return giveUp(execution, failed, failure, signal);
    }
    if (started && scope.side_effect_class === 'non_idempotent')
      return giveUp(execution, failed, unsafe(failure), signal);
    if (remedy.kind === 'retry') {
      frame.run.record({ type: 'recovery.retry', ...scope, reason: failure.reason, delay_ms: remedy.delayMs });
      await pause(execution, remedy.delayMs, remedy.jitter);
      return null;
    }
    if (await repair(execution, failed, remedy.worker)) return null;
  }
}
