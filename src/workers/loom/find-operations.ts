import type { JsonValue } from '#protocol/json.ts';
import { blocksIn } from '../answer/code-blocks.ts';
import { type JsonTrouble, jsonTrouble } from './json-trouble.ts';
import { listIn } from './parse-operations.ts';

type FoundOperations =
  | { readonly kind: 'values'; readonly values: readonly JsonValue[] }
  /** The answer has operations in invalid JSON. None of them is used, because parts of the list could be missing. */
  | { readonly kind: 'broken'; readonly trouble: JsonTrouble };

/** Maximum number of brackets in an answer that are tried as the start of its JSON. */
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

/** Returns true for a single operation that is not within a list. */
const isLone = (value: JsonValue): boolean =>
  typeof value === 'object' && value !== null && ('op' in value || 'operation' in value);

/** Returns the index of the bracket that closes the bracket at `from`, or -1. */
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

/**
 * Describes invalid JSON that begins at an offset of a text. The line and column in the result refer to the whole text.
 */
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

/**
 * Finds JSON with operations anywhere in a text. A complete operation inside an invalid list is not treated as a list
 * of its own.
 */
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

/**
 * Finds operations in fenced blocks. If one block contains operations in invalid JSON, the whole answer counts as
 * broken.
 */
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

/** Finds lists of operations in an answer. Tries the whole answer, then its fenced blocks, then JSON anywhere in it. */
export function findOperations(text: string): FoundOperations {
  const whole = parse(text.trim());
  if (whole !== undefined) return { kind: 'values', values: [whole] };
  const inBlocks = fenced(text);
  if (inBlocks.kind === 'broken' || inBlocks.values.length > 0) return inBlocks;
  return bare(text);
}

/** Describes what is wrong with a text that begins like JSON, or returns null if the text is prose or valid JSON. */
export const troubleIn = (text: string): JsonTrouble | null => {
  const isMeant = /^\s*(?:\[\s*\{|\{\s*["\w])/.test(text) && parse(text.trim()) === undefined;
  return isMeant ? jsonTrouble(text) : null;
};
