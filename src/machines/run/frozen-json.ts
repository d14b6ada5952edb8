import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** Maximum nesting depth; it also detects cycles. */
const MAX_DEPTH = 256;

/**
 * Maximum number of values plus characters of keys and strings. An object that occurs several times counts each time,
 * since the copy shares nothing.
 */
const MAX_SIZE = 16 * 1024 * 1024;

interface Budget {
  left: number;
}

type CopiedJson<Value> =
  | { readonly ok: true; readonly value: Value }
  /** `problem` completes the sentence "the value at <pointer> …". */
  | { readonly ok: false; readonly pointer: string; readonly problem: string };

const refused = (pointer: string, problem: string): CopiedJson<never> => ({ ok: false, pointer, problem });

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

function takeArray(value: readonly unknown[], pointer: string, depth: number, budget: Budget): CopiedJson<JsonValue> {
  const copy: JsonValue[] = [];
  for (let index = 0; index < value.length; index += 1) {
    const taken = take(value[index], `${pointer}/${index}`, depth + 1, budget);
    if (!taken.ok) return taken;
    copy.push(taken.value);
  }
  return { ok: true, value: Object.freeze(copy) };
}

function takeObject(value: object, pointer: string, depth: number, budget: Budget): CopiedJson<JsonObject> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return refused(pointer, 'is not a plain object');
  const copy: Record<string, JsonValue> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (key === '__proto__') return refused(pointer, 'has the key "__proto__"');
    if (entry === undefined) continue;
    budget.left -= key.length;
    const taken = take(entry, `${pointer}/${escapeKey(key)}`, depth + 1, budget);
    if (!taken.ok) return taken;
    copy[key] = taken.value;
  }
  return { ok: true, value: Object.freeze(copy) };
}

function take(value: unknown, pointer: string, depth: number, budget: Budget): CopiedJson<JsonValue> {
  budget.left -= typeof value === 'string' ? 1 + value.length : 1;
  if (budget.left < 0) return refused(pointer, `exceeds the limit of ${MAX_SIZE} values and characters`);
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return { ok: true, value };
  if (typeof value === 'number')
    // JSON has no -0, so the value would change with the first resume.
    return Number.isFinite(value)
      ? { ok: true, value: value === 0 ? 0 : value }
      : refused(pointer, 'is not a finite number');
  if (typeof value !== 'object') return refused(pointer, `is a ${typeof value}, not JSON`);
  if (depth > MAX_DEPTH) return refused(pointer, 'is nested too deeply, or has a cycle');
  return Array.isArray(value) ? takeArray(value, pointer, depth, budget) : takeObject(value, pointer, depth, budget);
}

/**
 * Returns a deeply frozen copy of a JSON object, or the JSON pointer of the first value that is not JSON. Throws only
 * if a getter of the value throws.
 */
export function copyJsonObject(value: unknown): CopiedJson<JsonObject> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refused('', 'is not an object');
  return takeObject(value, '', 0, { left: MAX_SIZE });
}
