/**
 * A schema in the compact form that `scripts/generate.ts` writes: a type's name, `@` and a definition's name, an object of required
 * properties that allows no others, or a list that begins with what it is: `list`, `tuple`, `any` (a union), `is` (values),
 * `number` and `integer` (minimum, maximum).
 */
export type Shape = string | readonly (ShapeValue | Shape)[] | { readonly [property: string]: Shape };

type ShapeValue = string | number | boolean | null;

/** Where a value differs from its shape, as a path and what was expected there. */
export interface Misfit {
  readonly path: readonly (string | number)[];
  readonly expected: string;
}

type Shapes = Readonly<Record<string, Shape>>;

const OWN = Object.prototype.hasOwnProperty;

const misfit = (expected: string): Misfit => ({ path: [], expected });

const within = (key: string | number, found: Misfit | null): Misfit | null =>
  found === null ? null : { path: [key, ...found.path], expected: found.expected };

function checkNumber(value: unknown, kind: unknown, minimum: unknown, maximum: unknown): Misfit | null {
  const isKind = kind === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (!isKind || typeof value !== 'number') return misfit(String(kind));
  if (typeof minimum === 'number' && value < minimum) return misfit(`at least ${minimum}`);
  if (typeof maximum === 'number' && value > maximum) return misfit(`at most ${maximum}`);
  return null;
}

function checkItems(
  value: unknown,
  items: (index: number) => Shape,
  count: number | null,
  shapes: Shapes,
): Misfit | null {
  if (!Array.isArray(value)) return misfit('array');
  if (count !== null && value.length !== count) return misfit(`${count} items`);
  for (let index = 0; index < value.length; index += 1) {
    const found = within(index, checkShape(value[index], items(index), shapes));
    if (found !== null) return found;
  }
  return null;
}

function checkUnion(value: unknown, members: readonly Shape[], shapes: Shapes): Misfit | null {
  let deepest: Misfit | null = null;
  for (const member of members) {
    const found = checkShape(value, member, shapes);
    if (found === null) return null;
    if (deepest === null || found.path.length > deepest.path.length) deepest = found;
  }
  return deepest ?? misfit('nothing');
}

function checkObject(value: unknown, properties: Readonly<Record<string, Shape>>, shapes: Shapes): Misfit | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return misfit('object');
  const object = value as Readonly<Record<string, unknown>>;
  let count = 0;
  for (const name in properties) {
    const shape = properties[name];
    if (shape === undefined || !OWN.call(object, name)) return { path: [name], expected: 'a value' };
    const found = within(name, checkShape(object[name], shape, shapes));
    if (found !== null) return found;
    count += 1;
  }
  const names = Object.keys(object);
  if (names.length === count) return null;
  return { path: [names.find((name) => !OWN.call(properties, name)) ?? ''], expected: 'no such property' };
}

function checkList(value: unknown, shape: readonly (ShapeValue | Shape)[], shapes: Shapes): Misfit | null {
  const [kind, ...rest] = shape;
  switch (kind) {
    case 'is':
      return (rest as readonly unknown[]).includes(value) ? null : misfit(rest.map(String).join(' or '));
    case 'list':
      return checkItems(value, () => rest[0] as Shape, null, shapes);
    case 'tuple':
      return checkItems(value, (index) => rest[index] as Shape, rest.length, shapes);
    case 'any':
      return checkUnion(value, rest as readonly Shape[], shapes);
    default:
      return checkNumber(value, kind, rest[0], rest[1]);
  }
}

function checkName(value: unknown, name: string, shapes: Shapes): Misfit | null {
  if (name.startsWith('@')) return checkShape(value, shapes[name.slice(1)] ?? 'never', shapes);
  if (name === 'null') return value === null ? null : misfit('null');
  if (name === 'number') return checkNumber(value, name, null, null);
  return typeof value === name ? null : misfit(name);
}

const isList = (shape: Shape): shape is readonly (ShapeValue | Shape)[] => Array.isArray(shape);

/** Returns the first place where a value differs from a shape, or null if it fits. Uses no `eval`, as views must not. */
export function checkShape(value: unknown, shape: Shape, shapes: Shapes): Misfit | null {
  if (typeof shape === 'string') return checkName(value, shape, shapes);
  return isList(shape) ? checkList(value, shape, shapes) : checkObject(value, shape, shapes);
}
