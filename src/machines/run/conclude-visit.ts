import type { ConditionFacts } from '#protocol/condition.ts';
import type { Action } from '#protocol/graph.ts';
import type { Signal } from '#protocol/id.ts';
import type { Failure } from '#protocol/response.ts';
import { ERROR } from '#protocol/signal.ts';
import { isSuccess } from './conditions.ts';
import type { Frame, Outcome, Visit } from './state.ts';
import { type LookUp, lookUpTransition } from './look-up-transition.ts';
import { keepRefused } from './keep-returned.ts';
import { lazyPayload } from './payload-log.ts';
import { recordEntry } from './record-path.ts';
import { stopMoving } from './visit.ts';

/** The event for the chart: a signal with the matching row, or the end of the frame. */
export type VisitEvent = { readonly type: Signal; readonly row: number } | { readonly type: '@return' | '@failed' };

/**
 * Creates the facts for a condition, frozen so that the condition can't change them. Called only if a row has a
 * condition.
 */
const factsOf = (frame: Frame, visit: Visit, signal: Signal): ConditionFacts =>
  Object.freeze({
    exports: frame.exports,
    payload: lazyPayload([], frame.payload, []),
    response: Object.freeze({ success: isSuccess(signal), signal }),
    attempt: visit.attempts,
    visits: visit.number,
    returned: frame.returned,
  });

const lookUp = (frame: Frame, visit: Visit, signal: Signal): LookUp =>
  lookUpTransition(visit.block, signal, () => factsOf(frame, visit, signal), frame.run.conditions);

const handled = (visit: Visit): readonly string[] => [...new Set(visit.block.transitions.map(({ signal }) => signal))];

function unhandled(visit: Visit, frame: Frame, { signal, failure }: Outcome): Failure {
  const where = { node: visit.block.node, block: visit.block.id, frame: frame.path, signal, handled: handled(visit) };
  if (failure === null) return { reason: 'no_transition', details: where, errorType: null };
  return {
    ...failure,
    details: { ...failure.details, ...where, unhandled: `no transition of ${visit.block.id} handles ${signal}` },
  };
}

function conditionFailure(visit: Visit, frame: Frame, found: Extract<LookUp, { kind: 'condition_threw' }>): Failure {
  const { condition, row, message } = found;
  return {
    reason: 'condition_resolution_error',
    details: { node: visit.block.node, block: visit.block.id, frame: frame.path, condition, row, message },
    errorType: 'Error',
  };
}

const isTooDeep = (frame: Frame, action: Action): boolean =>
  (action.kind === 'call' || action.kind === 'fork') && frame.depth + 1 > frame.run.index.graph.limits.maxDepth;

const tooDeep = (frame: Frame, visit: Visit): Failure => ({
  reason: 'max_depth_exceeded',
  details: {
    max_depth: frame.run.index.graph.limits.maxDepth,
    node: visit.block.node,
    block: visit.block.id,
    frame: frame.path,
  },
  errorType: null,
});

function fail(frame: Frame, visit: Visit, signal: Signal, failure: Failure): VisitEvent {
  recordEntry(frame, visit, { signal, via: 'none', action: null, row: null });
  frame.failure = failure;
  return { type: '@failed' };
}

/** Looks up what follows a signal, writes the path entry, and returns the event for the chart. */
function follow(frame: Frame, visit: Visit, outcome: Outcome): VisitEvent {
  const { signal } = outcome;
  visit.failure = outcome.failure;
  const found = lookUp(frame, visit, signal);
  if (found.kind === 'condition_threw') return fail(frame, visit, signal, conditionFailure(visit, frame, found));
  if (found.kind === 'no_table' && outcome.failure === null) {
    recordEntry(frame, visit, { signal, via: 'none', action: 'RETURN', row: null });
    return { type: '@return' };
  }
  if (found.kind !== 'matched') return fail(frame, visit, signal, unhandled(visit, frame, outcome));
  const { transition, via } = found;
  const refused = isTooDeep(frame, transition.action);
  if (refused && visit.refused) return fail(frame, visit, signal, tooDeep(frame, visit));
  recordEntry(frame, visit, { signal, via, action: transition.text, row: transition.row });
  if (!refused) return { type: transition.signal, row: transition.row };
  visit.refused = true;
  keepRefused(frame, transition.action);
  return follow(frame, visit, { signal: ERROR, failure: childFailure(tooDeep(frame, visit)) });
}

/** Returns the caller's failure for a failed child, with the child's Response in the details. */
const childFailure = (child: Failure): Failure => ({
  reason: child.reason,
  details: { ...child.details, child: { reason: child.reason, details: child.details } },
  errorType: child.errorType,
});

/** Concludes an execution. A visit that finishes for the first time gets its step number. */
export function concludeVisit(frame: Frame, visit: Visit, outcome: Outcome): VisitEvent {
  stopMoving(frame, visit);
  visit.refused = false;
  return follow(frame, visit, outcome);
}

/** Handles a child's failure with one more lookup for the same visit, with SIGNAL:ERROR. */
export function concludeChildFailure(frame: Frame, visit: Visit): VisitEvent {
  const child = frame.childFailure;
  frame.childFailure = null;
  const failure = child ?? { reason: 'corrupt_state', details: {}, errorType: null };
  visit.refused = false;
  return follow(frame, visit, { signal: ERROR, failure: childFailure(failure) });
}
