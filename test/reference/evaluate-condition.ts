import { numberOr, sameJson, stringOr } from './json-reading.ts';
import type { Frame, Visit } from './frame.ts';
import type { Row } from './program.ts';

/** The facts that a condition can examine. */
export interface StepFacts {
  readonly frame: Frame;
  readonly visit: Visit;
  readonly signal: string;
}

/** The signals that count as unsuccessful (point 28 of docs/decisions/2026-11-21-run-semantics.md). */
const UNSUCCESSFUL: ReadonlySet<string> = new Set(
  ['FAILURE', 'ERROR', 'TIMEOUT', 'VALIDATION_FAIL', 'NO_SIGNAL'].map((name) => `SIGNAL:${name}`),
);

export const isUnsuccessful = (signal: string): boolean => UNSUCCESSFUL.has(signal);

export const evaluateCondition = (condition: Row['condition'], { frame, visit, signal }: StepFacts): boolean => {
  if (condition === null) return true;
  const [first, second] = condition.args;
  switch (condition.id) {
    case 'exports.equals': {
      const key = stringOr(first, '');
      return frame.exports.has(key) && sameJson(frame.exports.get(key), second);
    }
    case 'exports.truthy':
      return Boolean(frame.exports.get(stringOr(first, '')));
    case 'payload.has_type':
      return frame.payload.some((segment) => segment.type === first);
    case 'response.success':
      return !UNSUCCESSFUL.has(signal);
    case 'attempt.less_than':
      return visit.attempts < numberOr(first, 0);
    case 'visits.less_than':
      return visit.number < numberOr(first, 0);
    case 'returned.all':
      return frame.returned.length > 0 && frame.returned.every(({ signal: said }) => said === first);
    case 'returned.any':
      return frame.returned.some(({ signal: said }) => said === first);
    case 'returned.count': {
      let count = 0;
      for (const { signal: said } of frame.returned) if (said === first) count += 1;
      return count >= numberOr(second, 0);
    }
    default:
      throw new Error(`no such condition: ${condition.id}`);
  }
};

export interface FoundRow {
  readonly row: Row;
  readonly via: 'match' | 'default';
}

/**
 * Returns the first row of the signal whose condition holds, otherwise the first default row whose condition holds,
 * otherwise null.
 */
export const lookUp = (rows: readonly Row[], signal: string, facts: StepFacts): FoundRow | null => {
  const first = (wanted: string): Row | undefined =>
    rows.find((row) => row.signal === wanted && evaluateCondition(row.condition, facts));
  const match = first(signal);
  if (match !== undefined) return { row: match, via: 'match' };
  const fallback = first('SIGNAL:FAIL_DEFAULT');
  return fallback === undefined ? null : { row: fallback, via: 'default' };
};
