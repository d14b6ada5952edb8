const OPENING = '([{<';

/** True if the character at `at` is a closing bracket. The `>` of an arrow or a comparison is not. */
const closes = (text: string, at: number): boolean => {
  const char = text[at] ?? '';
  return ')]}'.includes(char) || (char === '>' && !/[=\-\s]/u.test(text[at - 1] ?? ''));
};
/** True if the character at `at` is an opening bracket. The `<` of a comparison or a shift is not. */
const opens = (text: string, at: number): boolean => {
  const char = text[at] ?? '';
  return char === '<'
    ? /[\w$]/u.test(text[at - 1] ?? '') && !/[\s=<]/u.test(text[at + 1] ?? '')
    : OPENING.includes(char);
};

/** True if the apostrophe at `at` begins a Rust lifetime, as in `&'a str` and `<'a, 'b>`. */
function isLifetime(text: string, at: number): boolean {
  const after = /^'[a-z_]\w*(?!['\w])(.?)/u.exec(text.slice(at, at + 40));
  if (after === null) return false;
  const before = text.slice(Math.max(0, at - 3), at);
  return /[&<]$/u.test(before) || (/[,+:]\s$/u.test(before) && '>,:+'.includes(after[1] ?? ''));
}

/** Returns the offset after the quoted text that begins at `at`, or `at` if none begins there. */
function afterQuoted(text: string, at: number): number {
  const quote = text[at] ?? '';
  if (quote !== '"' && quote !== "'" && quote !== '`') return at;
  if (quote === "'" && isLifetime(text, at)) return at;
  const end = new RegExp(`\\\\.|${quote}`, 'gsu');
  end.lastIndex = at + 1;
  for (let match = end.exec(text); match !== null; match = end.exec(text)) {
    if (match[0] === quote) return match.index + 1;
    if (match.index - at > 2_000) break;
  }
  // The quote is the apostrophe of a Rust lifetime, or has no closing quote.
  return at;
}

/** Returns the offset of the bracket that closes the one at `open`, or -1. */
export function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const next = afterQuoted(text, at);
    if (next > at) {
      at = next - 1;
      continue;
    }
    if (at === open || opens(text, at)) depth += 1;
    else if (closes(text, at)) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** Splits a text at the separators outside of brackets and quotes. */
export function splitTop(text: string, separator = ','): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const next = afterQuoted(text, at);
    if (next > at) {
      at = next - 1;
      continue;
    }
    if (opens(text, at)) depth += 1;
    else if (closes(text, at)) depth -= 1;
    else if (text[at] === separator && depth <= 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
