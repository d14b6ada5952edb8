import type { AnswerData } from '#protocol/graph.ts';
import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import { fences } from '../answer/code-blocks.ts';
import { withoutSignal } from '../answer/signal-line.ts';

/** Validates a value against a schema. Returns one message for each problem, with its path, or an empty list. */
export type ValidateJson = (value: JsonValue) => readonly string[];

/** Maximum nesting depth of the data. Conditions have no use for deeper values, and comparing them is slow. */
const DEEPEST = 64;

/** Maximum length of the data in characters. */
const LONGEST = 1_000_000;

/** The data of an answer, or the problems that the model must correct. */
type FoundData =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly problems: readonly string[] };

const isContainer = (value: JsonValue): value is JsonObject | readonly JsonValue[] =>
  typeof value === 'object' && value !== null;

function parse(text: string): JsonValue | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Parses the last fenced block that is valid JSON, or else the whole text without its signal. Returns undefined if
 * neither is valid JSON.
 */
function jsonIn(text: string): JsonValue | undefined {
  for (const { lines } of fences(text).toReversed()) {
    const value = parse(lines.join('\n'));
    if (value !== undefined) return value;
  }
  return parse(withoutSignal(text));
}

/**
 * Returns why a value can't be stored, or null if it can. Works without recursion, so that deep nesting can't overflow
 * the stack.
 */
function whyUnfit(value: JsonValue): string | null {
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= DEEPEST && level.some(isContainer)) return `the JSON is nested deeper than ${DEEPEST} levels`;
    if (level.some((one) => isObject(one) && Object.hasOwn(one, '__proto__')))
      return 'the JSON has the key "__proto__"';
    level = level.flatMap((one) => (isContainer(one) ? Object.values<JsonValue>(one) : []));
  }
  return null;
}

/** Finds and validates the data of an answer. */
export function dataIn(text: string, validate: ValidateJson): FoundData {
  const value = jsonIn(text);
  if (value === undefined)
    return { ok: false, problems: [`the answer holds no JSON of at most ${LONGEST} characters in a fenced block`] };
  const unfit = whyUnfit(value);
  const problems = unfit === null ? validate(value) : [unfit];
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

/** Returns the exports derived from the data: each top-level property of the value that the schema declares. */
export function exportsOf(value: JsonValue, { schema }: AnswerData): JsonObject {
  const declared = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(value) || !isObject(declared)) return {};
  return Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(declared, key)));
}

/** The type of the segment with the data of an answer. */
export const ANSWER_DATA = 'ANSWER_DATA';

export const dataSegment = (value: JsonValue): SegmentDraft => ({ type: ANSWER_DATA, content: JSON.stringify(value) });
