import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser';

/** The first syntax error of an invalid JSON text. */
export interface JsonTrouble {
  /** The line number, from 1; `column` also counts from 1. */
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  /** The text of the line around the error, up to 60 characters on each side. */
  readonly around: string;
}

const AROUND = 60;

/** Converts an error name such as `CommaExpected` to words, "comma expected". */
const asWords = (name: string): string => name.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase();

function firstError(json: string): ParseError | null {
  const errors: ParseError[] = [];
  try {
    parse(json, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // Deep nesting overflows the stack, because the JSON parser recurses for every bracket.
    return null;
  }
  return errors[0] ?? null;
}

/** Describes the first syntax error of an invalid JSON text. */
export function jsonTrouble(json: string): JsonTrouble {
  const { offset, error } = firstError(json) ?? { offset: 0, error: null };
  const above = json.slice(0, offset).split('\n');
  const column = (above.at(-1) ?? '').length + 1;
  const end = json.trimEnd().length;
  const reason =
    offset >= end ? 'it ends early' : error === null ? 'invalid symbol' : asWords(printParseErrorCode(error));
  const lineEnd = json.indexOf('\n', offset);
  const from = Math.max(offset - column + 1, offset - AROUND);
  const around = json.slice(from, Math.min(lineEnd < 0 ? json.length : lineEnd, offset + AROUND));
  return { line: above.length, column, reason, around: around.toWellFormed() };
}
