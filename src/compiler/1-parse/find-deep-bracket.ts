/** The maximum nesting depth. It is checked before jsonc-parser is called, because jsonc-parser is recursive. */
export const MAX_NESTING = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const STAR = 0x2a;

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === BACKSLASH) at += 1;
    else if (char === QUOTE || char === 0x0a || char === 0x0d) return at;
  }
  return text.length;
}

function endOfComment(text: string, start: number): number {
  const kind = text.charCodeAt(start + 1);
  if (kind === STAR) {
    const end = text.indexOf('*/', start + 2);
    return end === -1 ? text.length : end + 1;
  }
  if (kind !== SLASH) return start;
  let at = start + 2;
  while (at < text.length && text.charCodeAt(at) !== 0x0a && text.charCodeAt(at) !== 0x0d) at += 1;
  return at;
}

/** Returns the offset of the first bracket that is nested too deep, or null. */
export function findDeepBracket(text: string): number | null {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === SLASH) at = endOfComment(text, at);
    else if (char === 0x7b || char === 0x5b) {
      depth += 1;
      if (depth > MAX_NESTING) return at;
    } else if (char === 0x7d || char === 0x5d) depth = Math.max(0, depth - 1);
  }
  return null;
}
