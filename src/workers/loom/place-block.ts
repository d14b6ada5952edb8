import { findAnchor, type Span } from './find-anchor.ts';
import type { FlatText } from './flat-text.ts';
import type { NumberedOperation, OperationOf } from './operation.ts';
import { anchorProblem } from './place-insert.ts';
import {
  afterBlanks,
  beforeBlanks,
  isLineEnd,
  isLineStart,
  type PlacedOperation,
  touch,
  withLastBreak,
  withoutLastBreak,
} from './placed.ts';
import { problem } from './problem.ts';

interface Block {
  readonly start: Span;
  readonly end: Span;
  /** The text between the markers, which is replaced. */
  readonly span: Span;
  readonly text: string;
}

/**
 * Returns the text between two markers. If the markers are at line boundaries, it consists of whole lines; otherwise it
 * is exactly the text between them.
 */
function blockBetween(flat: string, start: Span, end: Span, content: string): Block {
  const rest = afterBlanks(flat, start.to);
  const below = isLineStart(flat, start.to) ? start.to : isLineEnd(flat, rest) ? rest + 1 : start.to;
  const from = below <= end.from ? below : start.to;
  const lead = beforeBlanks(flat, end.from);
  const onItsLine = isLineStart(flat, lead) && lead >= from;
  // At the end of a file without a last line ending, the text below the marker begins with the marker's line ending.
  if (end.from === flat.length && end.to === end.from && !onItsLine && below === from && from > start.to) {
    const own = withoutLastBreak(content);
    return own === ''
      ? { start, end, span: { from: from - 1, to: end.from }, text: '' }
      : { start, end, span: { from, to: end.from }, text: own };
  }
  return {
    start,
    end,
    span: { from, to: onItsLine ? lead : end.from },
    text: onItsLine ? withLastBreak(content) : content,
  };
}

/** Maximum number of matches of a marker for which an earlier replacement is searched. */
const MOST = 300;

/**
 * Returns the block if it already has the new content, or null. A marker is not ambiguous because of further matches
 * within that content.
 */
function alreadyReplaced(flat: string, starts: readonly Span[], ends: readonly Span[], content: string): Block | null {
  if (starts.length > MOST || ends.length > MOST) return null;
  for (const start of starts)
    for (const end of ends) {
      if (end.from < start.to) continue;
      const block = blockBetween(flat, start, end, content);
      if (flat.slice(block.span.from, block.span.to) !== block.text) continue;
      const isInside = (marker: Span): boolean => touch(marker, block.span);
      const others = ends.filter((other) => other !== end && other.from >= start.to);
      if (starts.every((other) => other === start || isInside(other)) && others.every(isInside)) return block;
    }
  return null;
}

export function placeBlock(text: FlatText, operation: NumberedOperation<OperationOf<'replaceBlock'>>): PlacedOperation {
  const { flat } = text;
  const { number, content } = operation;
  const starts = operation.start === '' ? [{ from: 0, to: 0 }] : findAnchor(text, operation.start);
  const allEnds = operation.end === '' ? [{ from: flat.length, to: flat.length }] : findAnchor(text, operation.end);
  const there = alreadyReplaced(flat, starts, allEnds, content);
  if (there !== null) return { kind: 'there', number, from: there.span.from, shift: null };
  const [start] = starts;
  if (start === undefined || starts.length > 1)
    return anchorProblem(text, starts, operation, 'the "start"', operation.start);
  const ends = allEnds.filter(({ from }) => from >= start.to);
  const [end] = ends;
  if (end === undefined && allEnds.length > 0)
    return {
      kind: 'problem',
      problem: problem('anchor_not_found', operation, 'the "end" occurs only before the "start"'),
    };
  if (end === undefined || ends.length > 1) return anchorProblem(text, ends, operation, 'the "end"', operation.end);
  const block = blockBetween(flat, start, end, content);
  return { kind: 'edit', number, span: block.span, text: block.text, anchors: [start, end] };
}
