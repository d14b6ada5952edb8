import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { checkShape } from '../1-parse/report-shape-error.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isList, isObject, readObject } from '../1-parse/json-reader.ts';
import type { Origin } from '../1-parse/origins.ts';
import type { ParsedFile } from '../1-parse/parsed-manifest.ts';
import { validate } from '../generated/validate-manifest.gen.js';
import type { InstanceNames } from './instance-names.ts';
import { fillPlaceholders, type ParameterValues } from './parameters.ts';

/** The maximum number of JSON values in all instances of a manifest's files. */
const MOST_VALUES = 300_000;

interface Instance {
  readonly values: ParameterValues;
  readonly names: InstanceNames;
}

/** Creates an instance of a file: a copy with the names and the values of one import. */
type Instantiate = (file: ParsedFile, instance: Instance) => ParsedFile | null;

type Path = readonly (string | number)[];

/** The maximum depth at which a name can occur. Deeper values are copied without searching for names. */
const DEEPEST = 10;

interface Copying extends Instance {
  readonly used: Set<string>;
  readonly diagnose: Diagnose;
  readonly spend: () => boolean;
}

function copyText(text: string, path: Path, container: object, copying: Copying): JsonValue {
  const { values, names, used, diagnose } = copying;
  const named = path.length > DEEPEST ? text : names.text(text, path);
  if (values === null) return named;
  return fillPlaceholders(named, values, (name) => {
    used.add(name);
    const member = path.at(-1) ?? '';
    if (!values.has(name))
      diagnose.report('RS2063', { container, member }, { name }, { near: diagnose.nearest(name, values.keys()) });
  });
}

/**
 * Copies a value. The objects and arrays of the copy get the same places in the text as the original ones. Returns
 * undefined if there are too many values.
 */
function copy(
  value: JsonValue,
  path: Path,
  container: object,
  parent: Origin | null,
  copying: Copying,
): JsonValue | undefined {
  const { names, diagnose, spend } = copying;
  if (!spend()) return undefined;
  if (typeof value === 'string') return copyText(value, path, container, copying);
  if (typeof value !== 'object' || value === null) return value;
  const origin = diagnose.origins.get(value);
  if (origin === undefined) return value;
  const isNamed = path.length <= DEEPEST;
  const keyOf = (key: string): string => (isNamed ? names.key(key, [...path, key]) : key);
  const place: Origin = { ...origin, parent, keys: origin.keys.map(keyOf), index: null };
  const member = (one: JsonValue, step: string | number): JsonValue | undefined =>
    copy(one, [...path, step], value, place, copying);
  const made = isList(value)
    ? value.map((one, index) => member(one, index) ?? null)
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [keyOf(key), member(one, key) ?? null]));
  diagnose.origins.set(made, place);
  return made;
}

function warnOfUnused(root: JsonObject, used: ReadonlySet<string>, { report }: Diagnose): void {
  const container = readObject(root, 'parameters') ?? root;
  for (const name of Object.keys(readObject(root, 'parameters') ?? {}))
    if (!used.has(name)) report('RS4014', { container, member: name, side: 'key' }, { name });
}

/** Returns a function that creates instances. It returns null, with a report, once all instances are too large. */
export function createInstantiate(diagnose: Diagnose): Instantiate {
  let left = MOST_VALUES;
  const spend = (): boolean => (left -= 1) >= 0;
  return ({ path, root }, { values, names }) => {
    const used = new Set<string>();
    const { parameters, ...content } = root;
    const copying: Copying = { values, names, used, diagnose, spend };
    const made = copyRoot(root, content, copying);
    if (parameters !== undefined && isObject(made)) made['parameters'] = parameters;
    if (left < 0) diagnose.report('RS2066', { container: root }, { limit: String(MOST_VALUES) });
    if (left < 0) return null;
    warnOfUnused(root, used, diagnose);
    if (values !== null) checkShape(made, validate, diagnose);
    return { path, root: made };
  };
}

/**
 * Copies a file. Its `parameters` are copied unchanged, because they are the only place in which no placeholder is
 * replaced.
 */
function copyRoot(root: JsonObject, content: JsonObject, copying: Copying): Record<string, JsonValue> {
  const { diagnose } = copying;
  const origin = diagnose.origins.get(root);
  const place = origin === undefined ? null : { ...origin, index: null };
  const made = Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, copy(value, [key], root, place, copying) ?? null]),
  );
  if (place !== null) diagnose.origins.set(made, place);
  return made;
}
