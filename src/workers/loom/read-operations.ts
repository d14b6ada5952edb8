import { answerLines } from '../answer/answer-lines.ts';
import { fences } from '../answer/code-blocks.ts';
import { findOperations, looksLikeOperations, parse, troubleIn } from './find-operations.ts';
import type { JsonTrouble } from './json-trouble.ts';
import { listIn, type ParsedOperations, parseOperations } from './parse-operations.ts';
import { problem } from './problem.ts';

/** Returns an answer without the model's thinking, or null if the answer was cut off while the model was thinking. */
const saidIn = (text: string): string | null => answerLines(text)?.join('\n') ?? null;

/** Returns true if an answer contains operations, even invalid ones. */
export function hasOperations(text: string): boolean {
  const said = saidIn(text);
  const found = said === null ? null : findOperations(said);
  return found !== null && (found.kind === 'broken' || found.values.some(looksLikeOperations));
}

const SIGNAL_LINE = /^[ \t]*SIGNAL:[A-Z0-9_]+[ \t]*\r?$/gm;

/** Returns true if an answer says that nothing has to change: an empty list, with or without a fence. */
export function isEmptyList(text: string): boolean {
  const said = saidIn(text) ?? '';
  const whole = parse(said.replaceAll(SIGNAL_LINE, '').trim());
  const fenced = fences(said).map(({ lines }) => parse(lines.join('\n')));
  const values = whole === undefined ? fenced : [whole];
  return values.length > 0 && values.every((value) => value !== undefined && listIn(value)?.length === 0);
}

const NOWHERE = { number: null, path: null };

const none = (message: string): ParsedOperations => ({
  ok: false,
  problems: [problem('no_operations', NOWHERE, message)],
});

const broken = ({ line, column, reason, around }: JsonTrouble, linesAbove: number): ParsedOperations => ({
  ok: false,
  problems: [
    problem(
      'no_operations',
      NOWHERE,
      `the list of operations is not valid JSON: line ${line + linesAbove}, column ${column}: ${reason}`,
      { nearest: [{ line: line + linesAbove, text: around }] },
    ),
  ],
});

const countLines = (text: string): number => text.split('\n').length;

/** Reads the operations in a model's answer: JSON with or without a fence, with any prose around it. */
export function readOperations(text: string): ParsedOperations {
  const said = saidIn(text);
  if (said === null) return none('the answer ended while the model was still thinking');
  const found = findOperations(said);
  const linesAbove = countLines(text) - countLines(said);
  if (found.kind === 'broken') return broken(found.trouble, linesAbove);
  const [first, ...others] = found.values;
  const trouble = first === undefined ? troubleIn(said) : null;
  if (trouble !== null) return broken(trouble, linesAbove);
  if (first === undefined)
    return none('the answer has no JSON with operations, like [{"op": "append", "path": "a.md", "content": "…"}]');
  // Different lists make the answer ambiguous, because one may be a draft of another.
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first)))
    return none(
      `the answer has ${others.length + 1} lists of operations. Put all operations into one list, [{ "op": … }, { "op": … }]; one operation per line (JSONL) is not supported`,
    );
  return parseOperations(first);
}
