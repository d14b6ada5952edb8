import { createScanner, type EditResult, format } from 'jsonc-parser';

const OPTIONS = { tabSize: 2, insertSpaces: true, eol: '\n', keepLines: true, insertFinalNewline: true };

const END_OF_LINE = /\r\n?|\n/g;

/** Applies edits in one pass. The library's own function copies the whole text for each edit. */
function applyEdits(text: string, edits: EditResult): string {
  const parts: string[] = [];
  let end = 0;
  for (const { offset, length, content } of edits.toSorted((one, other) => one.offset - other.offset)) {
    parts.push(text.slice(end, offset), content);
    end = offset + length;
  }
  return parts.join('') + text.slice(end);
}

/** Returns whether the spaces between two tokens are removed. */
const isTight = (before: string, after: string): boolean =>
  before === '[' || (after === ']' && before !== '\n') || (before === '{' && after === '}');

/**
 * Removes the spaces after `[`, before `]` and in `{}` unless a line ends there: the library's formatter writes `[ 1
 * ]`.
 */
function tighten(text: string): string {
  const scanner = createScanner(text, false);
  const parts: string[] = [];
  let last = '';
  let blank = '';
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const written = text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength());
    if (/^[ \t]+$/.test(written)) {
      blank = written;
      continue;
    }
    parts.push(isTight(last, written) ? '' : blank, written);
    blank = '';
    last = written;
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
