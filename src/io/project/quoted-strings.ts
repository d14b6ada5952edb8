/** The maximum length of a path on Linux. */
const LONGEST = 4_096;

/**
 * Matches string literals, from each quote to the next one of its kind. Matches overlap, because a quote in a comment
 * or a regular expression does not begin a string. No string of JavaScript begins behind a backslash; without that rule,
 * a text of escaped quotes alone would take minutes.
 */
const STRINGS = new RegExp(`(?<!\\\\)(?=(["'])((?:\\\\[^]|(?!\\1)[^\\\\\\n]){1,${LONGEST}})\\1)`, 'g');
const TEMPLATES = new RegExp(`(?<!\\\\)(?=(\`)((?:\\\\[^]|[^\\\\\`]){1,${LONGEST}})\`)`, 'g');

const ESCAPE = /\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|([0-3]?[0-7]{1,2})|(\r\n|[^]))/gi;

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };

/** Matches an escaped line break, which continues a string on the next line. */
const CONTINUED = /^(?:\r\n|[\n\r\u2028\u2029])$/;

function decoded(_: string, long?: string, short?: string, byte?: string, octal?: string, other = ''): string {
  if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
  const code = Number.parseInt(long ?? short ?? byte ?? '', 16);
  if (Number.isNaN(code)) return CONTINUED.test(other) ? '' : (CONTROLS[other] ?? other);
  return code > 0x10ffff ? '' : String.fromCodePoint(code);
}

const quotedIn = (text: string): readonly string[] =>
  [STRINGS, TEMPLATES].flatMap((kind) =>
    [...text.matchAll(kind)].map(([, , inside = '']) => inside.replace(ESCAPE, decoded)),
  );

const DATA = /^data:[^,]*?(;base64)?,([^]*)$/i;

/** Returns the text of a `data:` URL, or null if it is not a `data:` URL or can't be decoded. */
function dataText(address: string): string | null {
  const [, base64, body = ''] = DATA.exec(address) ?? [];
  try {
    if (base64 !== undefined) return Buffer.from(decodeURIComponent(body), 'base64').toString('utf8');
    return body === '' ? null : decodeURIComponent(body);
  } catch {
    return null;
  }
}

/** The maximum depth to which nested `data:` URLs are followed. */
const DEEPEST = 3;

/** Returns every string literal of a JavaScript or JSON text, including those in modules in `data:` URLs. */
export function quotedStrings(text: string, depth = 0): ReadonlySet<string> {
  const found = new Set(quotedIn(text));
  if (depth === DEEPEST) return found;
  const inner = [...found].flatMap((one) => dataText(one) ?? []);
  return new Set([...found, ...inner.flatMap((one) => [...quotedStrings(one, depth + 1)])]);
}
