import type { Place } from './finding.ts';
import { toNumber } from './place.ts';
import { messageBefore, placeInFile } from './stack-trace.ts';

/** Matches a line of a code frame. */
const CODE = /^\s*>? ?\s*[0-9]{1,9} \|/;

/** Matches the place of a syntax error: `SyntaxError: /project/a.test.js: Unexpected token (2:6)`. */
const SYNTAX = /^\s*SyntaxError: (.{1,1000}?): .* \(([0-9]{1,9}):([0-9]{1,9})\)$/m;

/** Returns the place of a failure from Jest's description of it. */
export function jestPlace(lines: readonly string[], file: string): Place {
  const text = lines.join('\n');
  const [, syntax, line = '', column = ''] = SYNTAX.exec(text) ?? [];
  if (syntax === undefined) return placeInFile(text, file);
  return { file: syntax, line: toNumber(line), column: toNumber(column) };
}

/**
 * Returns the message of a failure: the text before the code frame. For a file with a syntax error, returns only the
 * details.
 */
export function jestMessage(lines: readonly string[]): string {
  const details = lines.findIndex((line) => line.trim() === 'Details:');
  const body = lines.slice(details + 1).map((line) => line.replace(/^ {1,4}/, ''));
  const code = body.findIndex((line) => CODE.test(line));
  return messageBefore(body.slice(0, code < 0 ? undefined : code));
}
