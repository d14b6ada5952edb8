import { applyResult } from '#machines/run/apply-result.ts';
import {
  type Artifact,
  assembleMemory,
  NO_ARTIFACT,
  sizesOf,
  type Whereabouts,
} from '#machines/run/assemble-memory.ts';
import { type BlockState, type BlockStep, nextBlockState } from '#machines/run/block-state.ts';
import type { Frame, Visit } from '#machines/run/state.ts';
import { nextPolicy, NO_RECOVERY_YET, type RecoveryState } from '#machines/run/next-policy.ts';
import { scopeOf } from '#machines/run/visit.ts';
import type { Ended, ExecuteVisit } from '#machines/run/visit.logic.ts';
import type { Clock } from '#protocol/clock.ts';
import type { AttemptScope } from '#protocol/event.ts';
import type { WorkerDefinition } from '#protocol/graph.ts';
import type { Payload } from '#protocol/payload.ts';
import type { Failure, HaltReason } from '#protocol/response.ts';
import type { FindWorker, RunContext, StepOutcome } from '#protocol/run.ts';
import { ERROR, NO_SIGNAL, SUCCESS, TIMEOUT, VALIDATION_FAIL } from '#protocol/signal.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { classInForce } from './attempt.ts';
import type { HaltDecision } from './halts.ts';
import { makeRepair } from './repair.ts';

/** All that the execution of visits needs of its run. */
export interface VisitParts {
  readonly context: RunContext;
  readonly findWorker: FindWorker;
  readonly definitionOf: (name: string) => WorkerDefinition | null;
  readonly readArtifact: (patterns: readonly string[]) => Promise<Artifact>;
  readonly askBefore: (frame: Frame, visit: Visit, why: HaltReason, signal: AbortSignal) => Promise<HaltDecision>;
  readonly whereabouts: Whereabouts;
  readonly stepMode: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly spanOf: (frame: Frame, visit: Visit) => { readonly span_id: string; readonly parent_span_id: string };
  readonly onMemory: ((memory: BlockMemory) => void) | null;
}

/** A visit while it executes. */
interface Execution {
  readonly parts: VisitParts;
  readonly frame: Frame;
  readonly visit: Visit;
  readonly signal: AbortSignal;
  state: BlockState;
  recovery: RecoveryState;
  /** Layer 1 of a repaired request. */
  repaired: Payload | null;
}

const step = (execution: Execution, what: BlockStep): void => {
  execution.state = nextBlockState(execution.state, what);
};

const scopeOfAttempt = (
  { parts, frame, visit }: Execution,
  started_at: number,
  side_effect_class: AttemptScope['side_effect_class'],
): AttemptScope => ({
  ...scopeOf(frame, visit),
  attempt: visit.attempts,
  ...parts.spanOf(frame, visit),
  started_at,
  side_effect_class,
});

const memoryWith = ({ parts, frame, visit, repaired }: Execution, artifact: Artifact): BlockMemory => {
  const persona = parts.definitionOf(visit.block.worker)?.persona ?? null;
  return assembleMemory(frame, visit, {
    persona,
    artifact,
    whereabouts: parts.whereabouts,
    payload: repaired,
    now: frame.run.now,
  });
};

interface Attempted {
  readonly outcome: StepOutcome;
  readonly memory: BlockMemory;
  readonly scope: AttemptScope;
  readonly durationMs: number;
}

async function attempt(execution: Execution): Promise<Attempted> {
  const { parts, frame, visit, signal } = execution;
  const { run } = frame;
  const { block } = visit;
  visit.attempts += 1;
  const memory = memoryWith(
    execution,
    block.artifact.length === 0 ? NO_ARTIFACT : await parts.readArtifact(block.artifact),
  );
  run.record({ type: 'memory.assembled', ...scopeOf(frame, visit), layers: sizesOf(memory) });
  parts.onMemory?.(memory);
  const worker = parts.findWorker(block.worker, block.id);
  const startedAt = run.now();
  const sideEffects = worker === null ? 'none' : classInForce(worker, memory, block, parts.definitionOf(block.worker));
  const scope = scopeOfAttempt(execution, startedAt, sideEffects);
  run.record({ type: 'block.started', ...scope, worker: block.worker });
  step(execution, 'execute');
  const spec = { worker: block.worker, role: 'block', attempt: visit.attempts, memory } as const;
  const tell = (text: string): void => run.record({ type: 'block.progress', ...scope, text });
  const outcome = await parts.context.step(visit.key, spec, signal, tell);
  step(execution, 'finish');
  return { outcome, memory, scope, durationMs: run.now() - startedAt };
}

const engineSignal = ({ reason }: Failure) => (reason === 'timeout' ? TIMEOUT : ERROR);

function succeed(
  { frame, visit }: Execution,
  { outcome, scope, durationMs }: Attempted & { outcome: { ok: true } },
): Ended {
  const { result } = outcome;
  const { signal } = result;
  applyResult(frame, visit, result);
  const misread = result.answerProblem !== null && (signal === NO_SIGNAL || signal === VALIDATION_FAIL);
  frame.run.record({
    type: 'block.finished',
    ...scope,
    signal,
    origin: misread ? 'engine' : 'worker',
    appended: result.append.length,
    exports: Object.keys(result.exports),
    stats: result.stats,
    duration_ms: durationMs,
  });
  const failure: Failure | null = misread
    ? {
        reason: 'worker_contract_violation',
        details: { worker: visit.block.worker, message: result.answerProblem ?? '' },
        errorType: null,
      }
    : null;
  return { kind: 'signalled', signal, failure };
}

function giveUp(
  { frame, visit }: Execution,
  { scope, durationMs }: Attempted,
  failure: Failure,
  exhausted: boolean,
  signal = engineSignal(failure),
): Ended {
  const { run } = frame;
  if (exhausted) run.record({ type: 'recovery.exhausted', ...scope, reason: failure.reason });
  run.record({
    type: 'block.finished',
    ...scope,
    signal,
    origin: 'engine',
    appended: 0,
    exports: [],
    stats: {},
    duration_ms: durationMs,
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

async function pause(execution: Execution, delayMs: number, jitter: number): Promise<void> {
  const { parts, frame, signal } = execution;
  const varied = delayMs * (1 + jitter * (2 * parts.random() - 1));
  if (varied > 0) await parts.clock.sleep(varied, signal, frame.path);
}

/** Asks the policies until one has something to execute. Null: execute again; else the visit is over. */
async function recover(execution: Execution, attempted: Attempted & { outcome: { ok: false } }): Promise<Ended | null> {
  const { frame, visit } = execution;
  const { failure, started, sideEffects } = attempted.outcome;
  execution.recovery = { ...execution.recovery, executions: execution.recovery.executions + 1 };
  for (;;) {
    const { remedy, state } = nextPolicy(visit.block.recovery, failure.reason, execution.recovery);
    execution.recovery = state;
    if (remedy.kind === 'give_up') return giveUp(execution, attempted, failure, remedy.exhausted);
    if (started && sideEffects === 'non_idempotent')
      return giveUp(execution, attempted, unsafe(failure), false, engineSignal(failure));
    if (remedy.kind === 'retry') {
      frame.run.record({
        type: 'recovery.retry',
        ...attempted.scope,
        reason: failure.reason,
        delay_ms: remedy.delayMs,
      });
      await pause(execution, remedy.delayMs, remedy.jitter);
      return null;
    }
    const { parts, signal } = execution;
    const repaired = await makeRepair({
      context: parts.context,
      frame,
      visit,
      worker: remedy.worker,
      memory: attempted.memory,
      failure,
      signal,
    });
    const made = repaired !== null;
    frame.run.record({
      type: 'recovery.repair',
      ...attempted.scope,
      reason: failure.reason,
      worker: remedy.worker,
      made,
    });
    if (repaired === null) continue;
    execution.repaired = repaired;
    execution.recovery = { ...execution.recovery, executions: 0 };
    return null;
  }
}

async function attempts(execution: Execution): Promise<Ended> {
  for (;;) {
    const attempted = await attempt(execution);
    if (execution.signal.aborted) return { kind: 'left', to: null };
    const { outcome } = attempted;
    if (outcome.ok) return succeed(execution, { ...attempted, outcome });
    execution.frame.run.record({
      type: 'block.failed',
      ...attempted.scope,
      failure: outcome.failure,
      duration_ms: attempted.durationMs,
    });
    const ended = await recover(execution, { ...attempted, outcome });
    if (ended !== null) return ended;
    if (execution.signal.aborted) return { kind: 'left', to: null };
  }
}

async function halt(execution: Execution, why: HaltReason): Promise<HaltDecision> {
  const { parts, frame, visit, signal } = execution;
  step(execution, 'wait');
  const decision = await parts.askBefore(frame, visit, why, signal);
  step(execution, decision.kind === 'elsewhere' ? 'leave' : 'resume');
  return decision;
}

/** Everything between a block's entry and its signal: halts before execution, memory, worker, recovery, result (spec/engine.md "A step"). */
export const executeVisit =
  (parts: VisitParts): ExecuteVisit =>
  async (frame, visit, signal) => {
    const execution: Execution = {
      parts,
      frame,
      visit,
      signal,
      state: 'READY',
      recovery: NO_RECOVERY_YET,
      repaired: null,
    };
    const { block } = visit;
    if (!visit.passed && (block.gate || parts.stepMode)) {
      const decision = await halt(execution, block.gate ? 'gate' : 'step');
      if (decision.kind === 'elsewhere') return { kind: 'left', to: decision.to };
      visit.passed = true;
    }
    if (parts.findWorker(block.worker, block.id)?.manual === true) {
      const decision = await halt(execution, 'manual');
      return decision.kind === 'elsewhere'
        ? { kind: 'left', to: decision.to }
        : { kind: 'signalled', signal: SUCCESS, failure: null };
    }
    return attempts(execution);
  };
