import { type Node, parseTree } from 'jsonc-parser';
import { findDeepBracket } from '#compiler/index.ts';
import type { ManifestSource } from '#protocol/compiled.ts';
import type { Position, Range, Span } from './place.ts';

/** The text of one manifest file with its syntax tree. Broken JSON has a tree as well. */
export interface ManifestDocument extends ManifestSource {
  /** The syntax tree; undefined if the text is empty, too long or too deeply nested. */
  readonly tree: Node | undefined;
  offsetAt(position: Position): number;
  positionAt(offset: number): Position;
  rangeOf(span: Span): Range;
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  const ending = /\r\n?|\n/g;
  while (ending.exec(text) !== null) starts.push(ending.lastIndex);
  return starts;
}

/** Returns the line that contains an offset, by binary search in the offsets of line starts. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Maximum text length in UTF-16 units. Above it, editors disable their own language features too. */
const LONGEST = 20_000_000;

/** Returns the syntax tree of a JSON text, or undefined if deep nesting would overflow the parser's stack. */
const treeOf = (text: string): Node | undefined =>
  text.length > LONGEST || findDeepBracket(text) !== null
    ? undefined
    : parseTree(text, [], { allowTrailingComma: true });

/**
 * Creates a document from a text; comments and trailing commas are allowed. A byte order mark is dropped, as editors
 * do.
 */
export function createDocument(source: ManifestSource): ManifestDocument {
  const text = source.text.startsWith('\uFEFF') ? source.text.slice(1) : source.text;
  const starts = lineStartsOf(text);
  const positionAt = (offset: number): Position => {
    const line = lineOf(starts, offset);
    return { line, character: offset - (starts[line] ?? 0) };
  };
  let read: { readonly tree: Node | undefined } | null = null;
  return {
    path: source.path,
    text,
    // The tree is built on first access: most edits of a text without diagnostics don't need it.
    get tree() {
      return (read ??= { tree: treeOf(text) }).tree;
    },
    positionAt,
    offsetAt: ({ line, character }) => Math.min(text.length, (starts[line] ?? text.length) + character),
    rangeOf: ({ from, to }) => ({ start: positionAt(from), end: positionAt(to) }),
  };
}

/** Returns the span of a node of the syntax tree. */
export const spanOf = ({ offset, length }: Node): Span => ({ from: offset, to: offset + length });
