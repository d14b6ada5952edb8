/**
 * The maximum nesting depth: twice that of a worker's data (machines/run/frozen-json.ts). It also ends the search in
 * cyclic values.
 */
const MAX_DEPTH = 512;
/** The maximum number of characters: twice what a worker may return. */
const MAX_SIZE = 2 ** 27;
/**
 * The number of characters that each value counts as. This limits the number of values to a million, which a few nested
 * lists exceed if each holds the next one twice.
 */
const WEIGHT = 128;

interface Budget {
  left: number;
}

function inObject(value: object, depth: number, budget: Budget): string | null {
  if (depth > MAX_DEPTH) return 'it is nested too deeply, or has a cycle';
  if ('toJSON' in value) return 'it has its own toJSON method';
  const keys = Array.isArray(value) ? null : Object.keys(value);
  const count = keys === null ? (value as readonly unknown[]).length : keys.length;
  budget.left -= count * WEIGHT;
  for (let index = 0; index < count; index += 1) {
    if (budget.left < 0) return 'it is too large';
    const entry: unknown = value[(keys?.[index] ?? index) as keyof typeof value];
    const found = inValue(entry, depth + 1, budget);
    if (found !== null) return found;
  }
  return null;
}

function inValue(value: unknown, depth: number, budget: Budget): string | null {
  switch (typeof value) {
    case 'string':
      budget.left -= value.length;
      return budget.left < 0 ? 'it is too large' : null;
    case 'object':
      return value === null ? null : inObject(value, depth, budget);
    case 'function':
    case 'symbol':
    case 'bigint':
      return `it contains a ${typeof value}`;
    default:
      return null;
  }
}

/**
 * Returns why a value can't be written as JSON, in bounded time, or null. Undefined values count as absent. Throws
 * what a getter or proxy throws.
 */
export const findObstacle = (value: object): string | null => inObject(value, 0, { left: MAX_SIZE });
