import type { JsonObject, JsonValue } from '#protocol/json.ts';

export type Json = JsonValue | undefined;

export const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOr = (value: Json): JsonObject => (isObject(value) ? value : {});

export const listOr = (value: Json): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : [];

export const stringOr = <Else>(value: Json, otherwise: Else): string | Else =>
  typeof value === 'string' ? value : otherwise;

export const numberOr = <Else>(value: Json, otherwise: Else): number | Else =>
  typeof value === 'number' ? value : otherwise;

/** Returns the value as a boolean. Manifests may also write `TRUE` and `FALSE` as strings. */
export const booleanOr = (value: Json, otherwise: boolean): boolean => {
  if (value === true || value === 'TRUE') return true;
  if (value === false || value === 'FALSE') return false;
  return otherwise;
};

export const sameJson = (left: Json, right: Json): boolean => {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length &&
      left.every((item, index) => sameJson(item as JsonValue, right[index] as JsonValue))
    );
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length && keys.every((key) => key in right && sameJson(left[key], right[key]))
  );
};
