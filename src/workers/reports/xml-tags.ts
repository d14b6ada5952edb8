/**
 * A piece of an XML document. Only the five predefined entities and character references are decoded; entities that the
 * document declares are not, which prevents entity expansion attacks.
 */
type XmlPiece =
  | {
      readonly kind: 'open';
      readonly name: string;
      readonly attributes: ReadonlyMap<string, string>;
      readonly isEmpty: boolean;
    }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function character(code: number): string {
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}

const decode = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(/&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(lt|gt|amp|quot|apos));/g, (_all, hex, decimal, name) => {
        if (typeof hex === 'string') return character(Number.parseInt(hex, 16));
        return typeof decimal === 'string' ? character(Number(decimal)) : (NAMED[String(name)] ?? '');
      })
    : text;

/** Returns the index of the first `>` that is not in quotes, or -1. */
function tagEnd(xml: string, from: number): number {
  for (let at = from; at < xml.length; at += 1) {
    const sign = xml.charAt(at);
    if (sign === '>') return at;
    if (sign !== '"' && sign !== "'") continue;
    const close = xml.indexOf(sign, at + 1);
    if (close < 0) return -1;
    at = close;
  }
  return -1;
}

/** Parses the attributes of a tag from the text between its name and `>`. */
function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < text.length;) {
    const equals = text.indexOf('=', at);
    const name = text.slice(at, equals < 0 ? undefined : equals).trim();
    const open = equals < 0 ? -1 : text.slice(equals + 1, equals + 20).search(/["']/);
    if (open < 0) break;
    const from = equals + 1 + open;
    const close = text.indexOf(text.charAt(from), from + 1);
    if (close < 0) break;
    found.set(name, decode(text.slice(from + 1, close)));
    at = close + 1;
  }
  return found;
}

const SPECIAL = [
  { start: '<!--', end: '-->', isText: false },
  { start: '<![CDATA[', end: ']]>', isText: true },
  { start: '<?', end: '?>', isText: false },
  { start: '<!', end: '>', isText: false },
] as const;

function tag(inside: string): XmlPiece {
  if (inside.startsWith('/')) return { kind: 'close', name: inside.slice(1).trim() };
  const isEmpty = inside.endsWith('/');
  const body = isEmpty ? inside.slice(0, -1) : inside;
  const blank = body.search(/\s/);
  const name = blank < 0 ? body : body.slice(0, blank);
  return { kind: 'open', name, attributes: attributesOf(blank < 0 ? '' : body.slice(blank)), isEmpty };
}

/** Yields the pieces of a document in order, in one pass. Stops at the first syntax error. */
export function* xmlPieces(xml: string): Generator<XmlPiece> {
  for (let at = 0; at < xml.length;) {
    const open = xml.indexOf('<', at);
    if (open !== at) yield { kind: 'text', text: decode(xml.slice(at, open < 0 ? undefined : open)) };
    if (open < 0) return;
    const special = SPECIAL.find(({ start }) => xml.startsWith(start, open));
    const end = special === undefined ? tagEnd(xml, open + 1) : xml.indexOf(special.end, open + special.start.length);
    if (end < 0) return;
    if (special === undefined) yield tag(xml.slice(open + 1, end));
    else if (special.isText) yield { kind: 'text', text: xml.slice(open + special.start.length, end) };
    at = end + (special?.end.length ?? 1);
  }
}
