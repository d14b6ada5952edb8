import { types } from 'node:util';

/* Inspects values without executing their code: accessors, proxy traps and methods are not called. */

/** Longest chain of prototypes that is searched. */
const LONGEST_CHAIN = 8;

/** Returns whether a value is a proxy, which can run code on any access. */
export const isProxy = (value: unknown): boolean => types.isProxy(value);

/** Returns an object's own property; undefined if it has none of that name, or an accessor. */
export const dataOf = (owner: object, key: string): unknown => Object.getOwnPropertyDescriptor(owner, key)?.value;

/** Returns an object and its prototypes. */
function* chainOf(owner: object): Generator<object> {
  let at: object | null = owner;
  for (let depth = 0; at !== null && depth < LONGEST_CHAIN && !isProxy(at); depth += 1) {
    yield at;
    at = Object.getPrototypeOf(at) as object | null;
  }
}

/** Returns a string property of an object or of its prototypes; undefined if there is none or if it is an accessor. */
function textIn(owner: object, key: string): string | undefined {
  for (const at of chainOf(owner)) {
    const descriptor = Object.getOwnPropertyDescriptor(at, key);
    if (descriptor !== undefined) return typeof descriptor.value === 'string' ? descriptor.value : undefined;
  }
  return undefined;
}

/** Returns an error's name and message; null for any other value. */
export function errorTexts(value: object): readonly [name: string, message: string] | null {
  if (![...chainOf(value)].includes(Error.prototype)) return null;
  return [textIn(value, 'name') ?? 'Error', textIn(value, 'message') ?? ''];
}

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** Reads a number with the built-in accessor, because a subclass may have replaced it. */
const numberBy = (prototype: object, key: string, owner: object): number =>
  Reflect.get(prototype, key, owner) as number;

/** Returns the size of a container whose content is not shown, as text; null for any other value. */
export function countIn(value: object): string | null {
  if (types.isMap(value)) return `${numberBy(Map.prototype, 'size', value)} entries`;
  if (types.isSet(value)) return `${numberBy(Set.prototype, 'size', value)} entries`;
  if (types.isTypedArray(value)) return `${numberBy(TYPED_ARRAY, 'byteLength', value)} bytes`;
  return null;
}
