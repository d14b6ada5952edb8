import type { JsonValue } from '#protocol/json.ts';
import type { Signal } from '#protocol/id.ts';
import type { Condition, Conditions } from '#protocol/condition.ts';
import type { Exports, Payload, Returned } from '#protocol/payload.ts';
import { ERROR, FAILURE, NO_SIGNAL, TIMEOUT, VALIDATION_FAIL } from '#protocol/signal.ts';

const sameJson = (left: JsonValue | undefined, right: JsonValue | undefined): boolean => {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [a, b] = [Object.entries(left as Record<string, JsonValue>), right as Record<string, JsonValue>];
  return (
    a.length === Object.keys(b).length && a.every(([key, value]) => Object.hasOwn(b, key) && sameJson(value, b[key]))
  );
};

const own = (exports: Exports, key: JsonValue | undefined): JsonValue | undefined =>
  typeof key === 'string' && Object.hasOwn(exports, key) ? exports[key] : undefined;

const lessThan = (count: number, limit: JsonValue | undefined): boolean => typeof limit === 'number' && count < limit;

function hasType(payload: Payload, type: JsonValue | undefined): boolean {
  for (let index = payload.length - 1; index >= 0; index -= 1) if (payload[index]?.type === type) return true;
  return false;
}

const countOf = (returned: readonly Returned[], signal: JsonValue | undefined): number =>
  returned.filter((one) => one.signal === signal).length;

/** The built-in conditions by id. */
export const BUILT_IN_CONDITIONS: Conditions = new Map<string, Condition>([
  ['exports.equals', ({ exports }, [key, value]) => sameJson(own(exports, key), value)],
  ['exports.truthy', ({ exports }, [key]) => Boolean(own(exports, key))],
  ['payload.has_type', ({ payload }, [type]) => hasType(payload, type)],
  ['response.success', ({ response }) => response.success],
  ['attempt.less_than', ({ attempt }, [limit]) => lessThan(attempt, limit)],
  ['visits.less_than', ({ visits }, [limit]) => lessThan(visits, limit)],
  ['returned.all', ({ returned }, [signal]) => returned.length > 0 && countOf(returned, signal) === returned.length],
  ['returned.any', ({ returned }, [signal]) => countOf(returned, signal) > 0],
  [
    'returned.count',
    ({ returned }, [signal, least]) => typeof least === 'number' && countOf(returned, signal) >= least,
  ],
]);

const UNSUCCESSFUL: ReadonlySet<Signal> = new Set([FAILURE, ERROR, TIMEOUT, VALIDATION_FAIL, NO_SIGNAL]);

/** Returns whether the signal means success (docs/decisions/2026-11-21-run-semantics.md). */
export const isSuccess = (signal: Signal): boolean => !UNSUCCESSFUL.has(signal);
