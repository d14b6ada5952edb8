/**
 * Returns the width of a character in em in a wide sans-serif font. Text that fits by this estimate fits in all common
 * fonts.
 */
function characterWidth(character: string): number {
  if ((character.codePointAt(0) ?? 0) >= 0x2e80) return 1.05;
  if (/[ijlItf.,:;'|!()[\] ]/.test(character)) return 0.36;
  if (/[mwMW@%]/.test(character)) return 0.92;
  return /[A-Z0-9_→&<>=+~#]/.test(character) ? 0.69 : 0.58;
}

/** Ratio of the width of bold text to regular text. */
export const BOLD = 1.14;

/** Estimates the width of text in pixels. For bold text, multiply the font size by `BOLD`. */
export const textWidth = (text: string, fontSize: number): number =>
  [...text].reduce((sum, character) => sum + characterWidth(character), 0) * fontSize;

/** Shortens text to a width in pixels; an ellipsis replaces the rest. */
export function fitText(text: string, width: number, fontSize: number): string {
  // The text may have any length, but no card shows more than 400 characters of it.
  const characters = [...text.slice(0, 400)];
  if (text.length <= 400 && textWidth(text, fontSize) <= width) return text;
  let room = width - 0.9 * fontSize;
  const kept = characters.findIndex((character) => (room -= characterWidth(character) * fontSize) < 0);
  return `${characters.slice(0, Math.max(kept, 0)).join('').trimEnd()}…`;
}
