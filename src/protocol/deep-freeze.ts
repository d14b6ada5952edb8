import type { JsonValue } from './json.ts';

/**
 * Freezes a JSON value and everything below it in place. A part that is already frozen is assumed to be deeply frozen.
 */
export function deepFreeze<Value extends JsonValue>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const entry of Object.values(value)) deepFreeze(entry);
  return Object.freeze(value);
}
