import { applyExports, applySegments } from '#machines/run/apply-result.ts';
import { appendSegments } from '#machines/run/payload-log.ts';
import type { VisitEnd, ScopedEvent } from '#machines/run/state.ts';
import { segmentOf } from '#machines/run/visit.ts';
import type { AttemptScope } from '#protocol/event.ts';
import type { Failure } from '#protocol/response.ts';
import type { StepOutcome } from '#protocol/run.ts';
import { ERROR, NO_SIGNAL, SUCCESS, VALIDATION_FAIL } from '#protocol/signal.ts';
import type { CheckedResult } from '#protocol/worker.ts';
import { memoryOfPerson } from './begin-attempt.ts';
import { checkEvidence, evidenceOf, type UnprovenCompletion } from './check-evidence.ts';
import type { BegunExecution, VisitExecution } from './execution.ts';
import { recover } from './recover.ts';

type Succeeded = Extract<StepOutcome, { readonly ok: true }>;

const isMisread = ({ answerProblem, signal }: CheckedResult): boolean =>
  answerProblem !== null && (signal === NO_SIGNAL || signal === VALIDATION_FAIL);

const misreading = (worker: string, { answerProblem }: CheckedResult): Failure => ({
  reason: 'worker_contract_violation',
  details: { worker, message: answerProblem ?? '' },
  errorType: null,
});

function succeed({ frame, visit }: VisitExecution, scope: ScopedEvent<AttemptScope>, result: CheckedResult): VisitEnd {
  const { run } = frame;
  applyExports(frame, visit, result);
  const misread = isMisread(result);
  run.record({
    ...scope,
    type: 'block.finished',
    signal: result.signal,
    origin: misread ? 'engine' : 'worker',
    appended: result.append.length,
    exports: Object.keys(result.exports),
    stats: result.stats,
    duration_ms: run.now() - scope.started_at,
  });
  return { kind: 'signalled', signal: result.signal, failure: misread ? misreading(visit.block.worker, result) : null };
}

function fail({ frame }: VisitExecution, { scope }: BegunExecution, failure: Failure): void {
  const { run } = frame;
  run.record({ ...scope, type: 'block.failed', failure, duration_ms: run.now() - scope.started_at });
}

const appendFindings = ({ frame, visit }: VisitExecution, { segments }: UnprovenCompletion): void => {
  frame.payload = appendSegments(
    frame.payload,
    segments.map(({ draft, at }) => segmentOf(visit, draft, at)),
  );
};

const isClaim = ({ visit }: VisitExecution, { signal }: CheckedResult): boolean =>
  signal === SUCCESS && evidenceOf(visit.block).length > 0;

/**
 * Checks the evidence of a success. If it fails, the worker's segments stay, followed by a description of the failure,
 * so that a loop can repair it; exports are dropped.
 */
async function prove(
  execution: VisitExecution,
  attempted: BegunExecution,
  { result, sideEffects }: Succeeded,
  at: number,
): Promise<VisitEnd | null> {
  const { run } = execution.frame;
  const { memory, scope } = attempted;
  const progress = (text: string): void => run.record({ ...scope, type: 'block.progress', text });
  const claim = await checkEvidence({ execution, memory, progress, stats: result.stats });
  if (claim.kind === 'left') return claim;
  if (claim.kind === 'proven') return succeed(execution, scope, result);
  appendFindings(execution, claim);
  const { failure } = claim;
  fail(execution, attempted, failure);
  const failedAt = claim.segments.reduce((last, segment) => Math.max(last, segment.at), at);
  return recover(execution, { ...attempted, failure, started: true, sideEffects, at: failedAt });
}

/** Decides what follows an outcome that became known at the time `at`. Returns null to execute the block again. */
export function concludeExecution(
  execution: VisitExecution,
  attempted: BegunExecution,
  outcome: StepOutcome,
  at: number,
): Promise<VisitEnd | null> | VisitEnd {
  if (!outcome.ok) {
    const { failure, started, sideEffects, append = [] } = outcome;
    // The segments stay in the payload, although the success does not hold.
    applySegments(execution.frame, execution.visit, { append, payload: null }, at);
    fail(execution, attempted, failure);
    return recover(execution, { ...attempted, failure, started, sideEffects, at });
  }
  const { result } = outcome;
  applySegments(execution.frame, execution.visit, result, at);
  return isClaim(execution, result)
    ? prove(execution, attempted, outcome, at)
    : succeed(execution, attempted.scope, result);
}

/** Checks the evidence of a success that a person has reported. */
async function checkReported(execution: VisitExecution): Promise<VisitEnd | UnprovenCompletion> {
  const done: VisitEnd = { kind: 'signalled', signal: SUCCESS, failure: null };
  if (evidenceOf(execution.visit.block).length === 0) return done;
  const memory = memoryOfPerson(execution);
  const claim = await checkEvidence({
    execution,
    memory: () => Promise.resolve(memory),
    progress: () => undefined,
    stats: null,
  });
  return claim.kind === 'proven' ? done : claim;
}

/**
 * Concludes a block that a person has done by hand. If its evidence fails, no execution can be repeated, so the
 * transition table decides what follows.
 */
export async function concludeByHand(execution: VisitExecution): Promise<VisitEnd> {
  const claim = await checkReported(execution);
  if (claim.kind !== 'unproven') return claim;
  appendFindings(execution, claim);
  return { kind: 'signalled', signal: ERROR, failure: claim.failure };
}

/** Concludes an interrupted block that a person has reported as done. Returns the failure if its evidence fails. */
export async function concludeInterrupted(execution: VisitExecution): Promise<VisitEnd | Failure> {
  const claim = await checkReported(execution);
  return claim.kind === 'unproven' ? claim.failure : claim;
}
