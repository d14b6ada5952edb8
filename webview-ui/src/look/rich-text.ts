/** A part of a text that is either code or plain text. */
export interface TextPiece {
  readonly isCode: boolean;
  readonly text: string;
}

const CODE = /```[^\n]*\n([\s\S]*?)(?:\n```|$)|`([^`\n]+)`/g;
/** Maximum length, in characters, of a text that is searched for code. */
const LONGEST_MARKED = 20_000;

/** Splits a text into plain text and code (spans and fences). No other Markdown is interpreted. */
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
