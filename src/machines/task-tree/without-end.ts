/**
 * Removes the given character from the end of a text. A regular expression such as / +$/ would take quadratic time.
 */
export function withoutEnd(text: string, sign: string): string {
  let end = text.length;
  while (text[end - 1] === sign) end -= 1;
  return text.slice(0, end);
}
