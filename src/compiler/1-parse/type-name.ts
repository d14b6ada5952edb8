import type { JsonValue } from '#protocol/json.ts';
import { isList } from './json-reader.ts';

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
