import { findAnchor, type Span } from './find-anchor.ts';
import type { FlatText } from './flat-text.ts';
import { linesAt, nearestLines } from './nearest-lines.ts';
import type { NumberedOperation, OperationOf } from './operation.ts';
import {
  afterBlanks,
  beforeBlanks,
  countLines,
  isLineEnd,
  isLineStart,
  isThere,
  type PlacedOperation,
  touch,
  withLastBreak,
  withoutLastBreak,
} from './placed.ts';
import { type OperationPlace, problem } from './problem.ts';

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Returns an insertion of whole lines below the line that ends at `at`. */
const below = (at: number, content: string): Insertion => ({
  at,
  text: content.startsWith('\n') ? content : `\n${withoutLastBreak(content)}`,
});

/**
 * Returns the text to insert at an anchor and its place. At a line boundary the content becomes separate lines; within
 * a line it is inserted unchanged.
 */
function insertion(flat: string, { from, to }: Span, { content, position }: OperationOf<'insert'>): Insertion {
  if (position === 'after') {
    if (flat[to - 1] === '\n') return { at: to, text: withLastBreak(content) };
    const end = afterBlanks(flat, to);
    return isLineEnd(flat, end) ? below(end, content) : { at: to, text: content };
  }
  if (flat[from] === '\n') return below(from, content);
  const start = beforeBlanks(flat, from);
  return isLineStart(flat, start) ? { at: start, text: withLastBreak(content) } : { at: from, text: content };
}

/** Returns the inserted text if this insertion was already made at this anchor, or null. */
function insertedAt(flat: string, anchor: Span, operation: OperationOf<'insert'>): Span | null {
  const { at, text } = insertion(flat, anchor, operation);
  const [from, anchored] =
    operation.position === 'after' ? ([at, 'start'] as const) : ([at - text.length, 'end'] as const);
  return isThere(flat, from, text, anchored) ? { from, to: from + text.length } : null;
}

/** Maximum number of matches of the anchor for which an earlier insertion is searched. */
const MOST = 1_000;

/**
 * Returns the inserted text if the insertion was already made, or null. The anchor is not ambiguous because of further
 * matches within the inserted text.
 */
function alreadyInserted(flat: string, matches: readonly Span[], operation: OperationOf<'insert'>): Span | null {
  if (matches.length > MOST) return null;
  for (const anchor of matches) {
    const found = insertedAt(flat, anchor, operation);
    if (found !== null && matches.every((other) => other === anchor || touch(other, found))) return found;
  }
  return null;
}

/**
 * Returns the problem for an anchor that does not match exactly once, with the similar lines (no match) or the matching
 * lines (several matches).
 */
export function anchorProblem(
  text: FlatText,
  matches: readonly Span[],
  about: OperationPlace,
  what: string,
  anchor: string,
): PlacedOperation & { readonly kind: 'problem' } {
  if (matches.length === 0)
    return {
      kind: 'problem',
      problem: problem(
        'anchor_not_found',
        about,
        `${what} does not occur in the file, even with normalised white space`,
        {
          nearest: nearestLines(text, anchor),
        },
      ),
    };
  const offsets = matches.map(({ from }) => from);
  return {
    kind: 'problem',
    problem: problem(
      'ambiguous_anchor',
      about,
      `${what} occurs ${matches.length} times in the file. Use a longer one, or replaceLine with the line number`,
      { matches: linesAt(text, offsets) },
    ),
  };
}

export function placeInsert(text: FlatText, operation: NumberedOperation<OperationOf<'insert'>>): PlacedOperation {
  const { flat } = text;
  const { number, anchor } = operation;
  const matches = findAnchor(text, anchor);
  const there = alreadyInserted(flat, matches, operation);
  if (there !== null) {
    const inserted = flat.slice(there.from, there.to);
    const from = there.from + (inserted.startsWith('\n') ? 1 : 0);
    return { kind: 'there', number, from, shift: countLines(inserted) };
  }
  const [only] = matches;
  if (only === undefined || matches.length > 1) return anchorProblem(text, matches, operation, 'the anchor', anchor);
  const { at, text: inserted } = insertion(flat, only, operation);
  return { kind: 'edit', number, span: { from: at, to: at }, text: inserted, anchors: [only] };
}
