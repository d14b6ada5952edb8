import type { JsonObject, JsonValue } from './json.ts';
import { nearest } from './nearest.ts';

/** A value that a manifest asks for when a run starts. */
export interface InputDeclaration {
  readonly type: 'string' | 'number' | 'boolean';
  /** What the value is for; null if the manifest does not say. */
  readonly description: string | null;
  /** The only values allowed, or null if every value of the type is. */
  readonly values: readonly JsonValue[] | null;
  /** The default value; null: a run must give a value. */
  readonly fallback: JsonValue;
}

/** The declared inputs by name, in written order. */
export type Inputs = Readonly<Record<string, InputDeclaration>>;

type ReadInputs =
  | { readonly ok: true; readonly values: JsonObject }
  /** `problems` are whole sentences. */
  | { readonly ok: false; readonly problems: readonly string[] };

const shown = (value: JsonValue): string => JSON.stringify(value);

const typeText = ({ type, values }: InputDeclaration): string =>
  values === null ? `a ${type}` : `one of ${values.map(shown).join(', ')}`;

/** Converts a text of the command line to the declared type, or returns undefined. */
function convert(text: string, { type }: InputDeclaration): JsonValue | undefined {
  if (type === 'string') return text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** Returns a value of the declared type, or undefined if the given one doesn't fit. */
export function fitInput(given: JsonValue, declared: InputDeclaration): JsonValue | undefined {
  const value = typeof given === 'string' ? convert(given, declared) : given;
  if (value === undefined || typeof value !== declared.type) return undefined;
  if (typeof value === 'string' && value === '') return undefined;
  return declared.values === null || declared.values.includes(value) ? value : undefined;
}

function unknownName(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const hint = near === null ? `The inputs are ${known.join(', ')}.` : `Did you mean "${near}"?`;
  return `There is no input "${name}". ${hint}`;
}

function given(text: string | null, declared: Inputs): JsonObject | null {
  if (text === null || text.trim() === '') return {};
  const names = Object.keys(declared);
  if (text.trimStart().startsWith('{'))
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    } catch {
      // Text that is not valid JSON is read as plain text.
    }
  const pairs = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => /^\s*([A-Za-z0-9_-]+)=(.*)$/s.exec(line));
  if (pairs.every((pair) => pair !== null && names.includes(pair[1] ?? '')))
    return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
  const [only] = names;
  return names.length === 1 && only !== undefined ? { [only]: text } : null;
}

/**
 * Reads the text of `--input` as the declared inputs: a JSON object, or one `name=value` per line. If only one input is
 * declared, the text itself is its value. Missing inputs get their default.
 */
export function readInputs(declared: Inputs, text: string | null): ReadInputs {
  const names = Object.keys(declared);
  const values = given(text, declared);
  if (values === null)
    return { ok: false, problems: [`The input is not of the form name=value. The inputs are ${names.join(', ')}.`] };
  const problems: string[] = [];
  const read: Record<string, JsonValue> = {};
  for (const name of Object.keys(values)) if (!Object.hasOwn(declared, name)) problems.push(unknownName(name, names));
  for (const [name, one] of Object.entries(declared)) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const fitted = value === undefined ? one.fallback : fitInput(value, one);
    if (fitted === undefined && value === '' && one.values === null) problems.push(`The input "${name}" is empty.`);
    else if (fitted === undefined)
      problems.push(`The input "${name}" must be ${typeText(one)}, not ${shown(value ?? null)}.`);
    else if (fitted === null)
      problems.push(
        `The input "${name}" is missing${one.description === null ? '' : `: ${one.description.replace(/\.$/, '')}`}.`,
      );
    else read[name] = fitted;
  }
  return problems.length === 0 ? { ok: true, values: read } : { ok: false, problems };
}

/** Returns the inputs as the text of the first segment: one `name: value` per line; a single input as it is. */
export function inputText(values: JsonObject): string {
  const entries = Object.entries(values);
  const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : shown(value ?? null));
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) return text(only[1]);
  return entries.map(([name, value]) => `${name}: ${text(value)}`).join('\n');
}
