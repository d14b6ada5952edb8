import { applyExports, applySegments } from '#machines/run/apply-result.ts';
import { appendSegments } from '#machines/run/payload-log.ts';
import type { VisitEnd, Scoped } from '#machines/run/state.ts';
import { segmentOf } from '#machines/run/visit.ts';
import type { AttemptScope } from '#protocol/event.ts';
import type { Failure } from '#protocol/response.ts';
import type { StepOutcome } from '#protocol/run.ts';
import { ERROR, NO_SIGNAL, SUCCESS, VALIDATION_FAIL } from '#protocol/signal.ts';
import type { CheckedResult } from '#protocol/worker.ts';
import { memoryOfPerson } from './begin-attempt.ts';
import { checkEvidence, evidenceOf, type Unproven } from './check-evidence.ts';
import type { BegunExecution, Execution } from './execution.ts';
import { recover } from './recover.ts';

type Succeeded = Extract<StepOutcome, { readonly ok: true }>;

const isMisread = ({ answerProblem, signal }: CheckedResult): boolean =>
  answerProblem !== null && (signal === NO_SIGNAL || signal === VALIDATION_FAIL);

const misreading = (worker: string, { answerProblem }: CheckedResult): Failure => ({
  reason: 'worker_contract_violation',
  details: { worker, message: answerProblem ?? '' },
  errorType: null,
});

function succeed({ frame, visit }: Execution, scope: Scoped<AttemptScope>, result: CheckedResult): VisitEnd {
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

function fail({ frame }: Execution, { scope }: BegunExecution, failure: Failure): void {
  const { run } = frame;
  run.record({ ...scope, type: 'block.failed', failure, duration_ms: run.now() - scope.started_at });
}

const appendFindings = ({ frame, visit }: Execution, { segments }: Unproven): void => {
  frame.payload = appendSegments(
    frame.payload,
    segments.map(({ draft, at }) => segmentOf(visit, draft, at)),
  );
};

const isClaim = ({ visit }: Execution, { signal }: CheckedResult): boolean =>
  signal === SUCCESS && evidenceOf(visit.block).length > 0;

/**
 * Checks the evidence of a success. If it fails, the worker's segments stay, followed by a description of the failure,
 * so that a loop can repair it; exports are dropped.
 */
async function prove(
  execution: Execution,
  attempted: BegunExecution,
  { result, sideEffects }: Succeeded,
): Promise<VisitEnd | null> {
  const { run } = execution.frame;
  const { memory, scope } = attempted;
  const progress = (text: string): void => run.record({ ...scope, type: 'block.progress', text });
  const claim = await checkEvidence({ execution, memory, progress });
  if (claim.kind === 'left') return claim;
  if (claim.kind === 'proven') return succeed(execution, scope, result);
  appendFindings(execution, claim);
  const { failure } = claim;
  fail(execution, attempted, failure);
  return recover(execution, { ...attempted, failure, started: true, sideEffects });
}

/** Decides what follows an outcome that became known at the time `at`. Returns null to execute the block again. */
export function concludeExecution(
  execution: Execution,
  attempted: BegunExecution,
  outcome: StepOutcome,
  at: number,
): Promise<VisitEnd | null> | VisitEnd {
  if (!outcome.ok) {
    const { failure, started, sideEffects, append = [] } = outcome;
    // The segments stay in the payload, although the success does not hold.
    applySegments(execution.frame, execution.visit, { append, payload: null }, at);
    fail(execution, attempted, failure);
    return recover(execution, { ...attempted, failure, started, sideEffects });
  }
  const { result } = outcome;
  applySegments(execution.frame, execution.visit, result, at);
  return isClaim(execution, result)
    ? prove(execution, attempted, outcome)
    : succeed(execution, attempted.scope, result);
}

/**
 * Concludes a block that a person has done by hand. Its evidence is checked as well. If the evidence fails, no
 * execution can be repeated, so the transition table decides what follows.
 */
export async function concludeByHand(execution: Execution): Promise<VisitEnd> {
  const done: VisitEnd = { kind: 'signalled', signal: SUCCESS, failure: null };
  if (evidenceOf(execution.visit.block).length === 0) return done;
  const memory = memoryOfPerson(execution);
  const claim = await checkEvidence({ execution, memory: () => Promise.resolve(memory), progress: () => undefined });
  if (claim.kind === 'left') return claim;
  if (claim.kind === 'proven') return done;
  appendFindings(execution, claim);
  return { kind: 'signalled', signal: ERROR, failure: claim.failure };
}
