import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isList, isObject } from './json-reader.ts';
import type { Spot } from './origins.ts';

export interface PointerTarget {
  readonly value: JsonValue;
  readonly spot: Spot;
}

const unescape = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/**
 * Returns the value that a JSON pointer refers to, and its place. If it does not exist, the value is null, and the
 * place is in the last container that exists.
 */
export function followPointer(root: JsonObject, pointer: string): PointerTarget {
  let followed: PointerTarget = { value: root, spot: { container: root } };
  for (const token of pointer.split('/').slice(1).map(unescape)) {
    const container = followed.value;
    if (isList(container)) {
      const member = Number(token);
      followed = { value: container[member] ?? null, spot: { container, member } };
    } else if (isObject(container)) {
      followed = { value: container[token] ?? null, spot: { container, member: token } };
    }
  }
  return followed;
}
