/** Twice what a worker's data may have (machines/run/frozen-json.ts); a cycle ends here too. */
const MAX_DEPTH = 512;
/** Characters: twice what a worker may answer. */
const MAX_SIZE = 2 ** 27;
/** A value counts as so many characters, which makes a million of them: a few lists that each hold the next one twice have more. */
const WEIGHT = 128;

interface Budget {
  left: number;
}

function inObject(value: object, depth: number, budget: Budget): string | null {
  if (depth > MAX_DEPTH) return 'it is nested too deep, or has a cycle';
  if ('toJSON' in value) return 'it has a toJSON of its own';
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
      return `it holds a ${typeof value}`;
    default:
      return null;
  }
}

/**
 * Why a value can't be written as JSON, in bounded time; null where nothing is in the way. What is undefined counts as absent.
 * Throws what a getter or a proxy throws.
 */
export const findObstacle = (value: object): string | null => inObject(value, 0, { left: MAX_SIZE });
