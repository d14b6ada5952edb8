import type { JsonValue } from '#protocol/json.ts';
import { fences } from '../code-blocks.ts';
import { listIn, type ParsedOperations, parseOperations } from './parse-operations.ts';
import { problem } from './problem.ts';

/** An answer with more brackets than this before its JSON is no answer. */
const MOST_TRIES = 50;

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const looksLikeOperations = (value: JsonValue | undefined): value is JsonValue => {
  const list = value === undefined ? null : listIn(value);
  return (
    list !== null && list.some((one) => typeof one === 'object' && one !== null && ('op' in one || 'operation' in one))
  );
};

/** Where the bracket that opens at `from` is closed; -1: nowhere. */
function closing(text: string, from: number): number {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (inString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** JSON with operations anywhere in a text. */
function bare(text: string): readonly JsonValue[] {
  const found: JsonValue[] = [];
  let from = text.search(/[[{]/);
  for (let tries = 0; from >= 0 && tries < MOST_TRIES; tries += 1) {
    const until = closing(text, from);
    const value = until < 0 ? undefined : parse(text.slice(from, until + 1));
    const isOne = looksLikeOperations(value);
    if (isOne) found.push(value);
    const rest = isOne ? until + 1 : from + 1;
    const next = text.slice(rest).search(/[[{]/);
    from = next < 0 ? -1 : rest + next;
  }
  return found;
}

function candidates(text: string): readonly JsonValue[] {
  const whole = parse(text.trim());
  if (whole !== undefined) return [whole];
  const fenced = fences(text)
    .map(({ lines }) => parse(lines.join('\n')))
    .filter(looksLikeOperations);
  return fenced.length > 0 ? fenced : bare(text);
}

/** Does an answer have any operations, also such as can't be made? */
export const hasOperations = (text: string): boolean => candidates(text).some(looksLikeOperations);

const SIGNAL_LINE = /^[ \t]*SIGNAL:[A-Z0-9_]+[ \t]*\r?$/gm;

/** The answer that there is nothing to change: an empty list, bare or in a fence. */
export function isEmptyList(text: string): boolean {
  const whole = parse(text.replaceAll(SIGNAL_LINE, '').trim());
  const fenced = fences(text).map(({ lines }) => parse(lines.join('\n')));
  const values = whole === undefined ? fenced : [whole];
  return values.length > 0 && values.every((value) => value !== undefined && listIn(value)?.length === 0);
}

const none = (message: string): ParsedOperations => ({
  ok: false,
  problems: [problem('no_operations', { number: null, path: null }, message)],
});

/** The operations in a model's answer: bare JSON, or one fenced block of it, whatever is said around it. */
export function readOperations(text: string): ParsedOperations {
  const [first, ...others] = candidates(text);
  if (first === undefined)
    return none('the answer has no JSON with operations, like [{"op": "append", "path": "a.md", "content": "…"}]');
  // One of them may be a draft of the other: nobody can know.
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first)))
    return none(`the answer has ${others.length + 1} lists of operations: put all into one`);
  return parseOperations(first);
}
