import type { FlatText } from './flat-text.ts';
import { linesAt, nearestLines, showLine } from './nearest-lines.ts';
import { findAnchor } from './find-anchor.ts';
import type { NumberedOperation, OperationOf } from './operation.ts';
import { countLines, isLineEnd, isLineStart, type PlacedOperation, withLastBreak, withoutLastBreak } from './placed.ts';
import { problem } from './problem.ts';

/** Places content at the end of a text. The text ends with a line ending afterwards if it did before. */
export function placeAppend(
  text: FlatText,
  { number, content }: NumberedOperation<OperationOf<'append'>>,
): PlacedOperation {
  const { flat } = text;
  const at = flat.length;
  const own = withoutLastBreak(content);
  const added =
    flat === '' ? content : flat.endsWith('\n') ? withLastBreak(content) : own.startsWith('\n') ? own : `\n${own}`;
  const isLast = flat.endsWith(added) && (added.startsWith('\n') || isLineStart(flat, at - added.length));
  if (flat !== '' && (isLast || flat === own || flat === content)) return { kind: 'there', number, from: at, shift: 0 };
  return { kind: 'edit', number, span: { from: at, to: at }, text: added, anchors: [] };
}

/** Returns true if a line already has the given content. */
export function isLineThere({ flat, lines, lineStart }: FlatText, line: number, content: string): boolean {
  if (line > lines()) return false;
  const wanted = withoutLastBreak(content);
  const from = lineStart(line);
  return flat.startsWith(wanted, from) && isLineEnd(flat, from + wanted.length);
}

/** Returns how many lines a replacement adds to the line that it replaces. */
export const shiftOf = ({ content }: OperationOf<'replaceLine'>): number => countLines(withoutLastBreak(content));

const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim();

export function placeLine(text: FlatText, operation: NumberedOperation<OperationOf<'replaceLine'>>): PlacedOperation {
  const { number, line, expected } = operation;
  if (line > text.lines())
    return {
      kind: 'problem',
      problem: problem('line_not_found', operation, `there is no line ${line}: the number of lines is ${text.lines()}`),
    };
  const found = text.lineText(line);
  if (expected !== null && collapse(expected) !== collapse(found)) {
    const matches = linesAt(
      text,
      expected.trim() === '' ? [] : findAnchor(text, expected.trim()).map(({ from }) => from),
    );
    return {
      kind: 'problem',
      problem: problem(
        'line_changed',
        operation,
        `line ${line} differs from "expected"; it is: ${showLine(text, line).text}`,
        matches.length > 0 ? { matches } : { nearest: nearestLines(text, expected) },
      ),
    };
  }
  const span = { from: text.lineStart(line), to: text.lineEnd(line) };
  return { kind: 'edit', number, span, text: withoutLastBreak(operation.content), anchors: [] };
}
