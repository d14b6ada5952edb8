/** A stretch of text, or of code. */
export interface TextPiece {
  readonly isCode: boolean;
  readonly text: string;
}

const CODE = /```[^\n]*\n([\s\S]*?)(?:\n```|$)|`([^`\n]+)`/g;
/** Longer texts are shown as they are: nobody reads their marks. */
const LONGEST_MARKED = 20_000;

/** Finds code spans and fences. Everything else stays as it was written: no other mark is interpreted. */
export function codePieces(text: string): readonly TextPiece[] {
  if (text.length > LONGEST_MARKED) return [{ isCode: false, text }];
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(CODE)) {
    if (match.index > end) pieces.push({ isCode: false, text: text.slice(end, match.index) });
    pieces.push({ isCode: true, text: match[1] ?? match[2] ?? '' });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ isCode: false, text: text.slice(end) });
  return pieces;
}
