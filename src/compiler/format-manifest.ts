import { applyEdits, createScanner, format, SyntaxKind } from 'jsonc-parser';

const OPTIONS = { tabSize: 2, insertSpaces: true, eol: '\n', keepLines: true, insertFinalNewline: true };

const END_OF_LINE = /\r\n?|\n/g;

/** Returns whether the text between two tokens, blanks only, is removed. */
const isTight = (before: SyntaxKind, after: SyntaxKind): boolean =>
  before === SyntaxKind.OpenBracketToken ||
  after === SyntaxKind.CloseBracketToken ||
  (before === SyntaxKind.OpenBraceToken && after === SyntaxKind.CloseBraceToken);

/** Removes blanks after `[`, before `]` and in `{}` where no line ends: the formatter of the library writes `[ 1 ]`. */
function tighten(text: string): string {
  const scanner = createScanner(text, false);
  const parts: string[] = [];
  let last: SyntaxKind = SyntaxKind.Unknown;
  let blank = '';
  for (let kind = scanner.scan(); kind !== SyntaxKind.EOF; kind = scanner.scan()) {
    const written = text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength());
    if (kind === SyntaxKind.Trivia) {
      blank = written;
      continue;
    }
    parts.push(isTight(last, kind) ? '' : blank, written);
    blank = '';
    last = kind;
  }
  return parts.join('') + blank;
}

/**
 * Formats the text of a manifest: two spaces per level, LF, one final line end. Comments and line breaks stay, so that
 * a row written in one line remains in one line.
 */
export function formatManifest(text: string): string {
  const bare = text.replace(/^\uFEFF/, '').replaceAll(END_OF_LINE, '\n');
  const formatted = tighten(applyEdits(bare, format(bare, undefined, OPTIONS)));
  const lines = formatted.split('\n').map((line) => line.trimEnd());
  return `${lines.join('\n').trimEnd()}\n`;
}
