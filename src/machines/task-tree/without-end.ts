/** Without the signs of this kind that a text ends with. An expression like / +$/ would try at each blank, and take the square of their number. */
export function withoutEnd(text: string, sign: string): string {
  let end = text.length;
  while (text[end - 1] === sign) end -= 1;
  return text.slice(0, end);
}
