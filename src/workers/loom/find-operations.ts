import type { JsonValue } from '#protocol/json.ts';
import { blocksIn } from '../answer/code-blocks.ts';
import { type JsonTrouble, jsonTrouble } from './json-trouble.ts';
import { listIn } from './parse-operations.ts';

export type FoundOperations =
  | { readonly kind: 'values'; readonly values: readonly JsonValue[] }
  /** There are operations, and what holds them is no JSON: a part of them is no answer. */
  | { readonly kind: 'broken'; readonly trouble: JsonTrouble };

/** An answer with more brackets than this before its JSON is no answer. */
const MOST_TRIES = 50;

const HAS_OPERATION = /"(?:op|operation)"\s*:/;
const OPENS_JSON = /^(?:\[\s*(?:[[{"\]]|$)|\{\s*(?:["}]|$))/;

export function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

export const looksLikeOperations = (value: JsonValue | undefined): value is JsonValue => {
  const list = value === undefined ? null : listIn(value);
  return (
    list !== null && list.some((one) => typeof one === 'object' && one !== null && ('op' in one || 'operation' in one))
  );
};

/** Not within a list of any name. */
const isLone = (value: JsonValue): boolean =>
  typeof value === 'object' && value !== null && ('op' in value || 'operation' in value);

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

const countLines = (text: string): number => text.split('\n').length - 1;

/** Of JSON that begins at an offset of a text, with the lines and the columns of the text. */
function brokenAt(text: string, from: number, until = text.length): FoundOperations & { readonly kind: 'broken' } {
  const above = text.slice(0, from);
  const lineStart = above.lastIndexOf('\n') + 1;
  const { line, column, ...rest } = jsonTrouble(text.slice(from, until));
  return {
    kind: 'broken',
    trouble: { ...rest, line: line + countLines(above), column: line === 1 ? column + from - lineStart : column },
  };
}

function nextBracket(text: string, from: number): number {
  const next = text.slice(from).search(/[[{]/);
  return next < 0 ? -1 : from + next;
}

/** JSON with operations anywhere in a text. What is within a broken list is not taken for a whole one. */
function bare(text: string): FoundOperations {
  const values: JsonValue[] = [];
  let within: { readonly from: number; readonly end: number } | null = null;
  let from = nextBracket(text, 0);
  for (let tries = 0; from >= 0; tries += 1) {
    if (tries === MOST_TRIES)
      return HAS_OPERATION.test(text.slice(from)) ? brokenAt(text, from) : { kind: 'values', values };
    const until = closing(text, from);
    const end = until < 0 ? text.length : until + 1;
    const piece = text.slice(from, end);
    const value = until < 0 ? undefined : parse(piece);
    const isOne = looksLikeOperations(value);
    const opensJson = OPENS_JSON.test(piece);
    if (isOne && within !== null && from < within.end && isLone(value)) return brokenAt(text, within.from, within.end);
    if (isOne) values.push(value);
    else if (value === undefined && opensJson && (HAS_OPERATION.test(piece) || (until < 0 && values.length > 0)))
      return brokenAt(text, from, end);
    else if (value === undefined && HAS_OPERATION.test(piece) && (within === null || from >= within.end))
      within = { from, end };
    from = nextBracket(text, isOne ? end : from + 1);
  }
  return { kind: 'values', values };
}

const lower = (found: FoundOperations, lines: number): FoundOperations =>
  found.kind === 'values' ? found : { kind: 'broken', trouble: { ...found.trouble, line: found.trouble.line + lines } };

/** In fenced blocks; a block that holds operations and is no JSON is broken, whatever the others say. */
function fenced(text: string): FoundOperations {
  const values: JsonValue[] = [];
  for (const { lines, linesAbove } of blocksIn(text)) {
    const block = lines.join('\n');
    if (!HAS_OPERATION.test(block)) continue;
    const value = parse(block);
    const found = value === undefined ? bare(block) : null;
    if (found?.kind === 'broken') return lower(found, linesAbove);
    values.push(...(found?.values ?? (looksLikeOperations(value) ? [value] : [])));
  }
  return { kind: 'values', values };
}

/** Lists of operations in an answer: the whole of it, else those in fenced blocks, else those anywhere. */
export function findOperations(text: string): FoundOperations {
  const whole = parse(text.trim());
  if (whole !== undefined) return { kind: 'values', values: [whole] };
  const inBlocks = fenced(text);
  if (inBlocks.kind === 'broken' || inBlocks.values.length > 0) return inBlocks;
  return bare(text);
}

/** Of a text that is meant as JSON from its first sign on; null: it is talk. */
export const troubleIn = (text: string): JsonTrouble | null => {
  const isMeant = /^\s*(?:\[\s*\{|\{\s*["\w])/.test(text) && parse(text.trim()) === undefined;
  return isMeant ? jsonTrouble(text) : null;
};
