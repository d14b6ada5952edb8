/** The encoding of a text file. */
export interface Encoding {
  readonly name: 'utf-8' | 'utf-16le' | 'utf-16be';
  readonly bom: boolean;
}

type Decoded =
  | { readonly ok: true; readonly text: string; readonly encoding: Encoding }
  | { readonly ok: false; readonly code: 'binary_file' | 'unknown_encoding'; readonly message: string };

const BOMS: readonly (readonly [bom: readonly number[], name: Encoding['name'] | null])[] = [
  // The byte order mark of UTF-32 is tested before that of UTF-16, which is its first half.
  [[0xff, 0xfe, 0, 0], null],
  [[0, 0, 0xfe, 0xff], null],
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

const swapped = (bytes: Uint8Array): Uint8Array => {
  const other = new Uint8Array(bytes.length);
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    other[at] = bytes[at + 1] ?? 0;
    other[at + 1] = bytes[at] ?? 0;
  }
  return other;
};

function decodeAs(bytes: Uint8Array, name: Encoding['name']): string | null {
  const isBig = name === 'utf-16be';
  if (name !== 'utf-8' && bytes.length % 2 === 1) return null;
  try {
    const decoder = new TextDecoder(isBig ? 'utf-16le' : name, { fatal: true, ignoreBOM: true });
    return decoder.decode(isBig ? swapped(bytes) : bytes);
  } catch {
    return null;
  }
}

const unknown = (message: string): Decoded => ({ ok: false, code: 'unknown_encoding', message });

/**
 * Decodes a file as UTF-8, or as the encoding given by its byte order mark, if encoding the text again gives the same
 * bytes.
 */
export function decode(bytes: Uint8Array): Decoded {
  const [bom, name] = BOMS.find(([signs]) => signs.every((sign, at) => bytes[at] === sign)) ?? [[], 'utf-8'];
  if (name === null) return unknown('its byte order mark means UTF-32, which is not supported');
  if (name === 'utf-8' && bytes.includes(0)) return { ok: false, code: 'binary_file', message: 'it is a binary file' };
  const text = decodeAs(bytes.subarray(bom.length), name);
  if (text === null) return unknown(`it is not valid ${name.toUpperCase()}, so an edit could damage other parts of it`);
  if (text.includes('\0')) return { ok: false, code: 'binary_file', message: 'it is a binary file' };
  return { ok: true, text, encoding: { name, bom: bom.length > 0 } };
}

function utf16(text: string, isBig: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), !isBig);
  return bytes;
}

export function encode(text: string, { name, bom }: Encoding): Uint8Array {
  const whole = bom ? `\u{feff}${text}` : text;
  return name === 'utf-8' ? new TextEncoder().encode(whole) : utf16(whole, name === 'utf-16be');
}
