import type { Shape, ShapeTable } from '../generated/view-shapes.gen.ts';

/** Where a value differs from its shape, as a path and what was expected there. */
interface Misfit {
  readonly path: readonly (string | number)[];
  readonly expected: string;
}

type Shapes = ShapeTable['shapes'];

const NUMBERS: Readonly<Record<string, readonly [number, number]>> = {
  n: [-Infinity, Infinity],
  t: [0, Infinity],
  i: [0, Infinity],
  p: [1, Infinity],
  l: [1, 5],
};
const INTEGERS = 'ipl';
const TYPES: Readonly<Record<string, string>> = { s: 'string', b: 'boolean' };

const misfit = (expected: string): Misfit => ({ path: [], expected });

const within = (key: string | number, found: Misfit | null): Misfit | null =>
  found === null ? null : { path: [key, ...found.path], expected: found.expected };

function checkNumber(value: unknown, word: string, [least, most]: readonly [number, number]): Misfit | null {
  const kind = INTEGERS.includes(word) ? 'integer' : 'number';
  const isKind = kind === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (!isKind || typeof value !== 'number') return misfit(kind);
  return value < least || value > most ? misfit(`a number from ${least} to ${most}`) : null;
}

function checkItems(
  value: unknown,
  shapeAt: (index: number) => Shape,
  count: number | null,
  shapes: Shapes,
): Misfit | null {
  if (!Array.isArray(value)) return misfit('array');
  if (count !== null && value.length !== count) return misfit(`${count} items`);
  for (let index = 0; index < value.length; index += 1) {
    const found = checkShape(value[index], shapeAt(index), shapes);
    if (found !== null) return within(index, found);
  }
  return null;
}

/**
 * Returns null if the value fits a member of the union, else the misfit of the member that matched most of the value.
 */
function checkUnion(value: unknown, members: readonly Shape[], shapes: Shapes): Misfit | null {
  let deepest = misfit('nothing');
  for (const member of members) {
    const found = checkShape(value, member, shapes);
    if (found === null) return null;
    if (found.path.length >= deepest.path.length) deepest = found;
  }
  return deepest;
}

function checkObject(value: unknown, properties: Readonly<Record<string, Shape>>, shapes: Shapes): Misfit | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return misfit('object');
  const object = value as Readonly<Record<string, unknown>>;
  let count = 0;
  for (const name in properties) {
    const shape = properties[name];
    if (shape === undefined || !Object.hasOwn(object, name)) return { path: [name], expected: 'a value' };
    const found = checkShape(object[name], shape, shapes);
    if (found !== null) return within(name, found);
    count += 1;
  }
  const names = Object.keys(object);
  if (names.length === count) return null;
  return { path: [names.find((name) => !Object.hasOwn(properties, name)) ?? ''], expected: 'no such property' };
}

function checkWord(value: unknown, word: string, shapes: Shapes): Misfit | null {
  if (word.endsWith('?')) return value === null ? null : checkWord(value, word.slice(0, -1), shapes);
  if (word.startsWith('*')) return checkItems(value, () => word.slice(1), null, shapes);
  if (word.startsWith('@')) return checkShape(value, shapes[Number(word.slice(1))] ?? [], shapes);
  const bounds = NUMBERS[word];
  if (bounds !== undefined) return checkNumber(value, word, bounds);
  if (word === '0') return value === null ? null : misfit('null');
  return typeof value === TYPES[word] ? null : misfit(TYPES[word] ?? 'nothing');
}

const isList = (shape: Shape): shape is Extract<Shape, readonly unknown[]> => Array.isArray(shape);

/**
 * Returns the first place where a value differs from a shape, or null if it fits. Does not use `eval`, which is
 * forbidden in views.
 */
export function checkShape(value: unknown, shape: Shape, shapes: Shapes): Misfit | null {
  if (typeof shape === 'string') return checkWord(value, shape, shapes);
  if (!isList(shape)) return checkObject(value, shape, shapes);
  const [kind, ...rest] = shape;
  const members = rest as readonly Shape[];
  switch (kind) {
    case '*':
      return checkItems(value, () => members[0] ?? [], null, shapes);
    case '(':
      return checkItems(value, (index) => members[index] ?? [], members.length, shapes);
    case '|':
      return checkUnion(value, members, shapes);
    default:
      return (rest as readonly unknown[]).includes(value) ? null : misfit(rest.map(String).join(' or '));
  }
}
