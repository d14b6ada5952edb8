import type { JsonValue } from './json.ts';

/** Freezes a JSON value in place, and all below it; what is frozen already is taken to be frozen below. */
export function deepFreeze<Value extends JsonValue>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const entry of Object.values(value)) deepFreeze(entry);
  return Object.freeze(value);
}
