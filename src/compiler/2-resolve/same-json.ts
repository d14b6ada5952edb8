import type { JsonValue } from '#protocol/json.ts';
import { isList, isObject } from '../1-parse/json-reader.ts';

/** Returns whether two JSON values are equal, regardless of the order of keys. */
export function sameJson(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (isList(left))
    return (
      isList(right) &&
      left.length === right.length &&
      left.every((value, index) => sameJson(value, right[index] ?? null))
    );
  if (!isObject(left) || !isObject(right)) return false;
  const entries = Object.entries(left);
  return (
    entries.length === Object.keys(right).length &&
    entries.every(([key, value]) => Object.hasOwn(right, key) && sameJson(value, right[key] ?? null))
  );
}
