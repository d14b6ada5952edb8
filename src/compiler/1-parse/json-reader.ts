import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';

// These readers are lenient on purpose: a member of the wrong type counts as absent, because the shape check has
// reported it already.

export { isObject };

export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

const own = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

export function readString(object: JsonObject, key: string): string | null {
  const value = own(object, key);
  return typeof value === 'string' ? value : null;
}

export function readNumber(object: JsonObject, key: string): number | null {
  const value = own(object, key);
  return typeof value === 'number' ? value : null;
}

/** Reads a boolean, also one written as `"TRUE"` or `"FALSE"`; returns null for anything else. */
export function readFlag(object: JsonObject, key: string): boolean | null {
  const value = own(object, key);
  if (value === true || value === 'TRUE') return true;
  return value === false || value === 'FALSE' ? false : null;
}

export function readObject(object: JsonObject, key: string): JsonObject | null {
  const value = own(object, key);
  return isObject(value) ? value : null;
}

export function readList(object: JsonObject, key: string): readonly JsonValue[] | null {
  const value = own(object, key);
  return isList(value) ? value : null;
}

export const has = (object: JsonObject, key: string): boolean => Object.hasOwn(object, key);

export function strings(list: readonly JsonValue[] | null): readonly string[] {
  return (list ?? []).filter((entry) => typeof entry === 'string');
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['array', 'a list'],
  ['null', 'null'],
]);

/** Returns the name of a JSON Schema type for messages, in words. */
export const typeName = (type: unknown): string => TYPE_NAMES.get(String(type)) ?? String(type);

/** Returns the name of a value's type for messages, in words. */
export function actualType(value: JsonValue): string {
  if (value === null) return 'null';
  if (isList(value)) return 'a list';
  return typeof value === 'number' && !Number.isInteger(value) ? 'a fraction' : typeName(typeof value);
}
