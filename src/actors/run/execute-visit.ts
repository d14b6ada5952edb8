import { messageOf } from '#protocol/message-of.ts';
import { applyResult } from '#machines/run/apply-result.ts';
import { type Artifact, assembleMemory, NO_ARTIFACT, sizesOf } from '#machines/run/assemble-memory.ts';
import { NO_RECOVERY_YET } from '#machines/run/next-policy.ts';
import type { Ended, ExecuteVisit } from '#machines/run/visit.logic.ts';
import type { AttemptScope } from '#protocol/event.ts';
import type { Failure, HaltReason } from '#protocol/response.ts';
import { NO_SIGNAL, SUCCESS, VALIDATION_FAIL } from '#protocol/signal.ts';
import type { CheckedResult } from '#protocol/worker.ts';
import { classInForce } from './attempt.ts';
import { type Attempted, type Execution, moveBlock, type VisitParts } from './execution.ts';
import type { HaltDecision } from './halts.ts';
import { recover } from './recover.ts';
import { untilGone } from './until-gone.ts';

const STOPPED: Ended = { kind: 'left', to: null };

/** The files of layer 4, or why they can't be read: that is a precondition of the block, not a fault of its worker. */
async function artifactOf({ parts, visit }: Execution): Promise<Artifact | Failure> {
  try {
    return await parts.readArtifact(visit.block.artifact);
  } catch (thrown) {
    const message = messageOf(thrown);
    return { reason: 'precondition_failed', details: { message: `artifact: ${message}` }, errorType: null };
  }
}

function begin(execution: Execution, artifact: Artifact): Attempted {
  const { parts, frame, visit, repaired } = execution;
  const { run } = frame;
  const { block, scope: place } = visit;
  visit.attempts += 1;
  const definition = parts.definitionOf(block.worker);
  const { whereabouts } = parts;
  const persona = definition?.persona ?? null;
  const memory = assembleMemory(frame, visit, { persona, artifact, whereabouts, payload: repaired, now: run.now });
  run.record({ type: 'memory.assembled', ...place, layers: sizesOf(memory) });
  parts.onMemory?.(memory);
  const worker = parts.findWorker(block.worker, block.id);
  const { span_id, parent_span_id } = parts.spanOf(frame, visit);
  const scope: AttemptScope = {
    ...place,
    attempt: visit.attempts,
    span_id,
    parent_span_id,
    started_at: run.now(),
    side_effect_class: worker === null ? 'none' : classInForce(worker, memory, block, definition),
  };
  run.record({ type: 'block.started', ...scope, worker: block.worker });
  moveBlock(execution, 'execute');
  return { memory, scope };
}

const isMisread = ({ answerProblem, signal }: CheckedResult): boolean =>
  answerProblem !== null && (signal === NO_SIGNAL || signal === VALIDATION_FAIL);

const misreading = (worker: string, { answerProblem }: CheckedResult): Failure => ({
  reason: 'worker_contract_violation',
  details: { worker, message: answerProblem ?? '' },
  errorType: null,
});

function succeed({ frame, visit }: Execution, scope: AttemptScope, result: CheckedResult): Ended {
  const { run } = frame;
  applyResult(frame, visit, result);
  const misread = isMisread(result);
  run.record({
    type: 'block.finished',
    ...scope,
    signal: result.signal,
    origin: misread ? 'engine' : 'worker',
    appended: result.append.length,
    exports: Object.keys(result.exports),
    stats: result.stats,
    duration_ms: run.now() - scope.started_at,
  });
  return { kind: 'signalled', signal: result.signal, failure: misread ? misreading(visit.block.worker, result) : null };
}

function fail({ frame }: Execution, { scope }: Attempted, failure: Failure): void {
  const { run } = frame;
  run.record({ type: 'block.failed', ...scope, failure, duration_ms: run.now() - scope.started_at });
}

const execute = (execution: Execution, { memory, scope }: Attempted) => {
  const { parts, frame, visit, signal } = execution;
  const spec = { worker: visit.block.worker, role: 'block', attempt: visit.attempts, memory } as const;
  const tell = (text: string): void => frame.run.record({ type: 'block.progress', ...scope, text });
  return parts.context.step(visit.key, spec, signal, tell);
};

/** What was cancelled may still write: nothing new begins before it is gone. */
async function afterTheCancelled({ parts, frame }: Execution): Promise<void> {
  const { run } = frame;
  const leaving = run.leaving;
  await untilGone(leaving, parts.clock, frame.path);
  if (run.leaving === leaving) run.leaving = [];
}

/** Executes the block, and again as its policies say, until there is a signal. */
async function attempts(execution: Execution): Promise<Ended> {
  const { frame, visit, signal } = execution;
  for (;;) {
    const artifact = visit.block.artifact.length === 0 ? NO_ARTIFACT : await artifactOf(execution);
    const attempted = begin(execution, 'reason' in artifact ? NO_ARTIFACT : artifact);
    if (frame.run.leaving.length > 0) await afterTheCancelled(execution);
    if (signal.aborted) return STOPPED;
    const outcome =
      'reason' in artifact
        ? { ok: false as const, failure: artifact, started: false }
        : await execute(execution, attempted);
    if (signal.aborted) return STOPPED;
    moveBlock(execution, 'finish');
    if (outcome.ok) return succeed(execution, attempted.scope, outcome.result);
    const { failure, started } = outcome;
    fail(execution, attempted, failure);
    const ended = await recover(execution, { ...attempted, failure, started });
    if (ended !== null) return ended;
    if (signal.aborted) return STOPPED;
  }
}

async function halt(execution: Execution, why: HaltReason): Promise<HaltDecision> {
  const { parts, frame, visit, signal } = execution;
  moveBlock(execution, 'wait');
  const decision = await parts.askBefore(frame, visit, why, signal);
  moveBlock(execution, decision.kind === 'elsewhere' || decision.kind === 'stopped' ? 'leave' : 'resume');
  return decision;
}

/** Gate, step mode, manual intervention; then execution. */
async function haltFirst(execution: Execution, manual: boolean): Promise<Ended> {
  const { visit, parts } = execution;
  if (!visit.passed && (visit.block.gate || parts.stepMode)) {
    const decision = await halt(execution, visit.block.gate ? 'gate' : 'step');
    if (decision.kind === 'stopped') return STOPPED;
    if (decision.kind === 'elsewhere') return { kind: 'left', to: decision.to };
    visit.passed = true;
  }
  if (!manual) return attempts(execution);
  const decision = await halt(execution, 'manual');
  if (decision.kind === 'stopped') return STOPPED;
  return decision.kind === 'elsewhere'
    ? { kind: 'left', to: decision.to }
    : { kind: 'signalled', signal: SUCCESS, failure: null };
}

/** Everything between a block's entry and its signal: halts before execution, memory, worker, recovery, result (spec/engine.md "A step"). */
export const executeVisit =
  (parts: VisitParts): ExecuteVisit =>
  (frame, visit, signal) => {
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
    const manual = parts.findWorker(block.worker, block.id)?.manual === true;
    return manual || block.gate || parts.stepMode ? haltFirst(execution, manual) : attempts(execution);
  };
