const PLAIN = /^[\u0020-\u007e]*$/;
/** Matches characters of two columns: East Asian Wide and Fullwidth characters, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\ufe0f|\p{Emoji_Presentation}/u;
/** Matches characters without width: combining marks and invisible characters. */
const NARROWEST = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

let segmenter: Intl.Segmenter | null = null;

/**
 * Splits a line into characters. The segmenter is created on first use, because creating it takes longer than printing
 * a page.
 */
export const charactersOf = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })).segment(text);

const columnsOf = (character: string): number => (NARROWEST.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** Returns the number of terminal columns of a line. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of charactersOf(text)) width += columnsOf(segment);
  return width;
}

/** Returns the longest beginning that fits into these columns, without splitting a character. */
export function textBeginning(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, columns));
  let width = 0;
  for (const { segment, index } of charactersOf(text)) {
    width += columnsOf(segment);
    if (width > columns) return text.slice(0, index);
  }
  return text;
}

/** Shortens a text in the middle, since the ends of a name tell most. */
export function cutMiddle(text: string, columns: number, ellipsis: string): string {
  if (textWidth(text) <= columns) return text;
  const room = Math.max(0, columns - ellipsis.length);
  const head = textBeginning(text, Math.ceil(room / 2));
  let [tail, width] = ['', 0];
  for (const { segment } of [...charactersOf(text)].reverse()) {
    width += textWidth(segment);
    if (width > room - textWidth(head)) break;
    tail = segment + tail;
  }
  return head + ellipsis + tail;
}

/** Shortens a text at its end. */
export const cutEnd = (text: string, columns: number, ellipsis: string): string =>
  textWidth(text) <= columns ? text : textBeginning(text, Math.max(0, columns - ellipsis.length)) + ellipsis;

/** Fills a text with blanks up to these columns. */
export const padTo = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - textWidth(text)));
