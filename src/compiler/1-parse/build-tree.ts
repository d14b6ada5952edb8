import { visit } from 'jsonc-parser';
import type { ParseErrorCode } from 'jsonc-parser';
import type { JsonValue } from '#protocol/json.ts';
import { memberIndex, memberPointer } from './origins.ts';
import type { Origin, SourceFile } from './origins.ts';

/** The callbacks for faults in the text that are found while it is parsed. */
interface TreeFaults {
  syntax(code: ParseErrorCode, offset: number, pointer: string): void;
  duplicateKey(key: string, first: number, again: number, owner: Origin): void;
  forbiddenKey(key: string, offset: number, owner: Origin): void;
  infiniteNumber(offset: number, length: number, pointer: string): void;
  loneSurrogate(text: string, offset: number, pointer: string): void;
}

type Container = { readonly object: Record<string, JsonValue> } | { readonly list: JsonValue[] };

/** An object or array whose end has not been read yet. */
type Open = Container & {
  readonly origin: Origin;
  /** The key whose value comes next; null if the key was rejected, so that its value is dropped. */
  key: string | null;
  keyOffset: number;
};

const LONE_SURROGATE = /[\uD800-\uDFFF]/u;
const MAYBE_SURROGATE = /[\uD800-\uDFFF]|\\u[dD][89a-fA-F]/;

/** Adds a value to its object or array; drops it if its key was rejected. */
function attach(owner: Open, value: JsonValue, offset: number): void {
  if ('list' in owner) {
    owner.list.push(value);
    owner.origin.offsets.push(offset);
  } else if (owner.key !== null) {
    owner.object[owner.key] = value;
    owner.origin.keys.push(owner.key);
    owner.origin.offsets.push(owner.keyOffset, offset);
  }
}

const keyIn = (owner: Open): string | number => ('list' in owner ? owner.list.length : (owner.key ?? ''));

const pointerIn = (owner: Open | undefined): string =>
  owner === undefined ? '' : memberPointer(owner.origin, keyIn(owner));

/** Begins a member of an object. The key is rejected if it is `__proto__` or a duplicate. */
function takeKey(owner: Open, key: string, offset: number, faults: TreeFaults): void {
  owner.keyOffset = offset;
  owner.key = null;
  if (!('object' in owner)) return;
  if (key === '__proto__') faults.forbiddenKey(key, offset, owner.origin);
  else if (!Object.hasOwn(owner.object, key)) owner.key = key;
  else
    faults.duplicateKey(
      key,
      owner.origin.offsets[2 * (memberIndex(owner.origin, key) ?? 0)] ?? offset,
      offset,
      owner.origin,
    );
}

/** Parses JSON text with comments into plain values, and records the origin of every object and array. */
export function buildTree(
  text: string,
  file: SourceFile,
  origins: Map<object, Origin>,
  faults: TreeFaults,
): JsonValue | undefined {
  const open: Open[] = [];
  const suspicious = MAYBE_SURROGATE.test(text);
  let owner: Open | undefined;
  let root: JsonValue | undefined;

  const originAt = (offset: number): Origin => {
    const parent = owner?.origin ?? null;
    const start = owner === undefined || 'list' in owner ? offset : owner.keyOffset;
    return {
      file,
      parent,
      key: owner === undefined ? '' : keyIn(owner),
      offset: start,
      keys: [],
      offsets: [],
      index: null,
    };
  };

  const put = (value: JsonValue, offset: number): void => {
    if (owner === undefined) root ??= value;
    else attach(owner, value, offset);
  };

  const begin = (value: Record<string, JsonValue> | JsonValue[], offset: number): void => {
    const origin = originAt(offset);
    origins.set(value, origin);
    put(value, offset);
    owner = Array.isArray(value)
      ? { list: value, origin, key: null, keyOffset: offset }
      : { object: value, origin, key: null, keyOffset: offset };
    open.push(owner);
  };

  const end = (): void => {
    open.pop();
    owner = open.at(-1);
  };

  const property = (key: string, offset: number): void => {
    if (owner !== undefined) takeKey(owner, key, offset, faults);
    if (suspicious && LONE_SURROGATE.test(key)) faults.loneSurrogate(key, offset, pointerIn(owner));
  };

  const literal = (value: JsonValue, offset: number, length: number): void => {
    if (suspicious && typeof value === 'string' && LONE_SURROGATE.test(value))
      faults.loneSurrogate(value, offset, pointerIn(owner));
    const infinite = typeof value === 'number' && !Number.isFinite(value);
    if (infinite) faults.infiniteNumber(offset, length, pointerIn(owner));
    if (!infinite || (owner !== undefined && 'list' in owner)) put(infinite ? 0 : value, offset);
  };

  visit(
    text,
    {
      onObjectBegin: (offset) => {
        begin({}, offset);
      },
      onArrayBegin: (offset) => {
        begin([], offset);
      },
      onObjectEnd: end,
      onArrayEnd: end,
      onObjectProperty: property,
      onLiteralValue: literal,
      onError: (code, offset) => {
        faults.syntax(code, offset, pointerIn(owner));
      },
    },
    { allowTrailingComma: true, disallowComments: false },
  );
  return root;
}
