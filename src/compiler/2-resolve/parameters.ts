import { fitInput, type InputDeclaration } from '#protocol/inputs.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isObject, readObject } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import { readDeclaredValue } from './read-declared-value.ts';

/** The values of a file's parameters by name; null if the file has no parameters, so that `{{x}}` is plain text. */
export type ParameterValues = ReadonlyMap<string, JsonValue> | null;

/** The path of an import, and the arguments that it passes in `with`. */
interface Arguments {
  /** The import as written, for messages. */
  readonly path: string;
  readonly spot: Spot;
  /** The value of `with`; null if there is none. */
  readonly given: JsonObject | null;
}

const declaredIn = (root: JsonObject, diagnose: Diagnose): readonly (readonly [string, InputDeclaration])[] =>
  Object.entries(readObject(root, 'parameters') ?? {}).map(([name, value]) => [
    name,
    readDeclaredValue('parameter', name, isObject(value) ? value : {}, diagnose),
  ]);

function reportUnknown({ path, given }: Arguments, names: readonly string[], { report, nearest }: Diagnose): boolean {
  const unknown = Object.keys(given ?? {}).filter((name) => !names.includes(name));
  const known = names.length === 0 ? 'It declares none' : `Its parameters are ${names.join(', ')}`;
  for (const name of unknown)
    report(
      'RS2060',
      { container: given ?? {}, member: name, side: 'key' },
      { path, name, known },
      { near: nearest(name, names) },
    );
  return unknown.length > 0;
}

/**
 * Returns the value of one parameter. If an argument is missing or has the wrong type, reports that and returns
 * undefined.
 */
function valueOf(
  name: string,
  declared: InputDeclaration,
  { path, spot, given }: Arguments,
  { report }: Diagnose,
): JsonValue | undefined {
  const { type, fallback } = declared;
  const written = given !== null && has(given, name) ? given[name] : undefined;
  if (written === undefined && fallback === null) report('RS2061', spot, { path, name, type });
  if (written === undefined) return fallback ?? undefined;
  if (fitInput(written, declared) === written) return written;
  report('RS2062', { container: given ?? {}, member: name }, { path, name, type });
  return undefined;
}

/** Returns the values of a file's parameters for one import, or undefined if an argument is missing or invalid. */
export function parameterValues(root: JsonObject, given: Arguments, diagnose: Diagnose): ParameterValues | undefined {
  const declared = declaredIn(root, diagnose);
  const isWrong = reportUnknown(
    given,
    declared.map(([name]) => name),
    diagnose,
  );
  const values = declared.map(([name, one]) => [name, valueOf(name, one, given, diagnose)] as const);
  const known = values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  if (isWrong || known.length < values.length) return undefined;
  return known.length === 0 ? null : new Map(known);
}

/** Returns the defaults of the entry file's parameters, or undefined if one of them has no default. */
export function entryValues(root: JsonObject, diagnose: Diagnose): ParameterValues | undefined {
  const declared = declaredIn(root, diagnose);
  const container = readObject(root, 'parameters') ?? root;
  const missing = declared.filter(([, { fallback }]) => fallback === null);
  for (const [name] of missing) diagnose.report('RS2065', { container, member: name, side: 'key' }, { name });
  return missing.length > 0 ? undefined : new Map(declared.map(([name, { fallback }]) => [name, fallback]));
}

const PLACEHOLDER = /\{\{ *([A-Za-z0-9_-]+) *\}\}/g;

const textOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' || value === undefined ? value : JSON.stringify(value);

/**
 * Replaces the placeholders `{{name}}` in a text. If the text consists of a single placeholder, returns the value
 * itself, which need not be a string.
 */
export function fillPlaceholders(
  text: string,
  values: ReadonlyMap<string, JsonValue>,
  onName: (name: string) => void,
): JsonValue {
  if (!text.includes('{{')) return text;
  const only = new RegExp(`^${PLACEHOLDER.source}$`).exec(text)?.[1];
  for (const [, name] of text.matchAll(PLACEHOLDER)) onName(name ?? '');
  if (only !== undefined) return values.get(only) ?? text;
  return text.replaceAll(PLACEHOLDER, (whole, name: string) => textOf(values.get(name)) ?? whole);
}
