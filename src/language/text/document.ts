import { type Node, parseTree } from 'jsonc-parser';
import { findDeepBracket } from '#compiler/index.ts';
import type { ManifestSource } from '#protocol/compiled.ts';
import type { Position, Range, Span } from './place.ts';

/** The text of one manifest file with its tree, which is there for broken text as well. */
export interface ManifestDocument extends ManifestSource {
  /** Undefined if the text is empty, or too deep or long to be read. */
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

/** Returns the last line that begins at or before an offset. */
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

/** UTF-16 units; beyond them the editor itself gives up on its language features. */
const LONGEST = 20_000_000;

/** A text that nests too deeply has no tree: it would overflow the stack. */
const treeOf = (text: string): Node | undefined =>
  text.length > LONGEST || findDeepBracket(text) !== null
    ? undefined
    : parseTree(text, [], { allowTrailingComma: true });

/** Parses a text with comments and trailing commas. A byte order mark is dropped, as the editor drops it. */
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
    // A text without findings is not parsed a second time while it is typed.
    get tree() {
      return (read ??= { tree: treeOf(text) }).tree;
    },
    positionAt,
    offsetAt: ({ line, character }) => Math.min(text.length, (starts[line] ?? text.length) + character),
    rangeOf: ({ from, to }) => ({ start: positionAt(from), end: positionAt(to) }),
  };
}

/** Returns the span of a node of the tree. */
export const spanOf = ({ offset, length }: Node): Span => ({ from: offset, to: offset + length });
