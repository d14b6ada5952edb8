import type { LanguageName } from './languages.ts';

const SLASHES = /^\s*\/\/[/!]?\s?(.*)$/u;
const HASH = /^\s*#(?!!)\s?(.*)$/u;
const DASHES = /^\s*--\s?(.*)$/u;
const NEVER = /^(?!)/u;

const COMMENTS: Partial<Readonly<Record<LanguageName, RegExp>>> = {
  bash: HASH,
  python: HASH,
  ruby: HASH,
  toml: HASH,
  yaml: HASH,
  lua: DASHES,
  css: NEVER,
  json: SLASHES,
  markdown: NEVER,
};
const lineComment = (language: LanguageName): RegExp => COMMENTS[language] ?? SLASHES;
const BLOCK_END = /\*\/\s*$/u;
const ATTRIBUTE = /^\s*(?:#\[.*\]|@[\w.]+(?:\(.*\))?|\[[\w.]+(?:\(.*\))?\])\s*$/u;
const MAX_DOC_LINES = 200;
const MAX_DOC = 200;

const clip = (text: string): string => (text.length > MAX_DOC ? `${text.slice(0, MAX_DOC - 1)}…` : text);

const readable = (line: string): string =>
  line
    .replace(/^\s*\/\*+!?/u, '')
    .replace(/\*+\/\s*$/u, '')
    .replace(/^\s*\*+\s?/u, '')
    .trim();

/**
 * Returns the first row of the comment and attributes directly above a definition, or the definition's own row if there
 * are none.
 */
export function rowWithDoc(language: LanguageName, lines: readonly string[], startRow: number): number {
  const comment = lineComment(language);
  let row = startRow;
  for (let steps = 0; row > 0 && steps < MAX_DOC_LINES; steps += 1) {
    const above = lines[row - 1] ?? '';
    if (ATTRIBUTE.test(above) || comment.test(above)) row -= 1;
    else if (BLOCK_END.test(above) && /^\s*(?:\/\*|\*)/u.test(above)) {
      let start = row - 1;
      while (start > 0 && row - start < MAX_DOC_LINES && !(lines[start] ?? '').includes('/*')) start -= 1;
      if (!(lines[start] ?? '').trimStart().startsWith('/*')) return row;
      row = start;
    } else break;
  }
  return row;
}

/** Returns the first line of text of the comment above a definition, or an empty string. */
export function docAbove(language: LanguageName, lines: readonly string[], startRow: number): string {
  const first = rowWithDoc(language, lines, startRow);
  const comment = lineComment(language);
  for (let row = first; row < startRow; row += 1) {
    const line = lines[row] ?? '';
    if (ATTRIBUTE.test(line)) continue;
    const text = (comment.exec(line)?.[1]?.trim() ?? readable(line))
      .replace(/<\/?(?:summary|remarks|para)>/gu, '')
      .trim();
    if (/[\p{L}\p{N}]/u.test(text)) return clip(text);
  }
  return '';
}

const DOCSTRING = /^\s*[rRuUbB]{0,2}("""|'''|"|')(.*)$/u;

/**
 * Returns the first line of the Python docstring at the start of a body, or an empty string. `row` is the body's first
 * row.
 */
export function docstringAt(lines: readonly string[], row: number): string {
  const found = DOCSTRING.exec(lines[row] ?? '');
  if (found === null) return '';
  const first = (found[2] ?? '').replace(/("""|'''|["'])\s*$/u, '').trim();
  return clip(first === '' ? (lines[row + 1] ?? '').replace(/("""|''')\s*$/u, '').trim() : first);
}
