import { spelledKeys } from './spelled-key.ts';

/** The minimum length of a secret: a shorter one would match parts of ordinary words. */
const SHORTEST = 8;

const HIDDEN = '[key]';

type Redact = (text: string) => string;

const unescapeBytes = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

/** Returns the bytes of a text in UTF-16, one character for each. */
const utf16Bytes = (text: string): string => [...text].map((character) => `${character}\0`).join('');

/**
 * Returns the base64 of a secret, and the three encodings that it can have within a longer text, one for each offset
 * modulo 3.
 */
function base64Forms(bytes: string): readonly string[] {
  const inside = [0, 1, 2].map((before) => {
    const text = btoa('\0'.repeat(before) + bytes).replace(/=+$/, '');
    return text.slice(before === 0 ? 0 : before + 1, -1);
  });
  return [btoa(bytes), ...inside];
}

/** Converts base64 to its URL-safe alphabet. */
const forAddresses = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');

const hexOf = (secret: string): string =>
  [...new TextEncoder().encode(secret)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const inSmallHex = (encoded: string): string => encoded.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase());

/** Returns the spellings in which programs print, quote or send a text. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const address = encodeURIComponent(secret);
  const isAscii = /^[\0-\u007f]*$/.test(secret);
  const base64 = [unescapeBytes(secret), ...(isAscii ? [utf16Bytes(secret)] : [])].flatMap(base64Forms);
  const hex = hexOf(secret);
  return [
    ...new Set([
      ...[secret, json, json.replaceAll('/', '\\/'), address, inSmallHex(address)],
      ...[...base64, ...base64.map(forAddresses), hex, hex.toUpperCase()],
    ]),
  ];
}

/**
 * Replaces each part of a key that has at least 8 characters, because providers quote such parts in errors
 * (`sk-abcdefgh***wxyz`).
 */
function withoutParts(text: string, pieces: ReadonlySet<string>): string {
  let result = '';
  let from = 0;
  for (let at = 0; at + SHORTEST <= text.length; at += 1) {
    if (!pieces.has(text.slice(at, at + SHORTEST))) continue;
    let end = at + SHORTEST;
    while (end < text.length && pieces.has(text.slice(end + 1 - SHORTEST, end + 1))) end += 1;
    // If a provider has masked the middle of a key, a few of the key's last characters may follow the mask.
    const masked = /^[*.…x•]{2,}[\w-]{0,8}/.exec(text.slice(end, end + 200))?.[0].length ?? 0;
    result += text.slice(from, at) + HIDDEN;
    from = end + masked;
    at = from - 1;
  }
  return result + text.slice(from);
}

const quoted = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** Returns a pattern of the forms in which each may be broken over lines, as programs that print base64 and hex do. */
const overLines = (forms: readonly string[]): RegExp =>
  new RegExp(forms.map((form) => [...form].map(quoted).join(String.raw`[\r\n]*`)).join('|'), 'g');

const LINE_BREAKS = /[\r\n]/g;

/**
 * Creates a function that replaces keys in a text, also encoded ones and ones that are broken over lines. It is fast,
 * since it is applied to everything that is stored.
 */
export function redactorOf(secrets: readonly string[]): Redact {
  const long = secrets.filter(({ length }) => length >= SHORTEST);
  const forms = long.flatMap(formsOf);
  if (forms.length === 0) return (text) => text;
  const spelled = spelledKeys(long);
  // Few texts contain a key, so one combined search comes first.
  const any = new RegExp(forms.map(quoted).join('|'));
  return (text) => {
    const clean = any.test(text) ? forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text) : text;
    const isBroken = clean.includes('\n') && any.test(clean.replaceAll(LINE_BREAKS, ''));
    return spelled.replace(isBroken ? clean.replaceAll(overLines(forms), HIDDEN) : clean, HIDDEN);
  };
}

/**
 * Returns how many characters at the end of a text may be the start of one of these forms. The form may be broken over
 * lines; if the text ends with a line break, only the start of a key's length counts, so that ordinary lines are shown
 * at once.
 */
function heldBack(text: string, forms: readonly string[]): number {
  const longest = forms.reduce((most, { length }) => Math.max(most, length), 0);
  const tail = text.slice(-2 * longest);
  const size = startAtEnd(tail.replaceAll(LINE_BREAKS, ''), forms, longest);
  if (size === 0 || (size < SHORTEST && /[\r\n]$/.test(tail))) return 0;
  let [at, left] = [tail.length, size];
  while (left > 0) {
    at -= 1;
    if (!/[\r\n]/.test(tail.charAt(at))) left -= 1;
  }
  return tail.length - at;
}

/** Returns the length of the start of a form with which a text without line breaks ends. */
function startAtEnd(text: string, forms: readonly string[], longest: number): number {
  const beginnings = new Set(forms.map((form) => form.charAt(0)));
  for (let size = Math.min(text.length, longest - 1); size > 0; size -= 1) {
    if (!beginnings.has(text.charAt(text.length - size))) continue;
    const end = text.slice(-size);
    if (forms.some((form) => form.length > size && form.startsWith(end))) return size;
  }
  return 0;
}

/** Creates a function that replaces a key in a text that broke off, even if the text ends in the middle of the key. */
export function cutRedactor(secret: string): Redact {
  const forms = secret.length < SHORTEST ? [] : formsOf(secret);
  const redact = redactorOf([secret]);
  return (text) => {
    const clean = redact(text);
    const size = heldBack(clean, forms);
    return size < SHORTEST ? clean : clean.slice(0, -size) + HIDDEN;
  };
}

export interface StreamRedactor {
  /** Takes the next part of the stream and returns the text that can already be shown. */
  next(part: string): string;
  /** Returns the text that was held back, at the end of the stream. */
  rest(): string;
}

/**
 * Creates redactors for texts that arrive in parts, one per text. Text at the end that may be the start of a key is
 * held back until more text arrives.
 */
export function streamRedactorOf(secrets: readonly string[]): () => StreamRedactor {
  const long = secrets.filter(({ length }) => length >= SHORTEST);
  const forms = long.flatMap(formsOf);
  const redact = redactorOf(long);
  const { beginningAtEnd } = spelledKeys(long);
  return () =>
    redactStream((text) => Math.max(heldBack(text, forms), beginningAtEnd(text)), redact, forms.length === 0);
}

export const streamRedactor = (secret: string): (() => StreamRedactor) => streamRedactorOf([secret]);

function redactStream(beginningAtEnd: (text: string) => number, redact: Redact, isIdle: boolean): StreamRedactor {
  let held = '';
  return {
    next: (part) => {
      if (isIdle) return part;
      const text = redact(held + part);
      const size = beginningAtEnd(text);
      held = text.slice(text.length - size);
      return text.slice(0, text.length - size);
    },
    rest: () => {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

/** Creates a function that replaces a key, and parts of it, in the messages of its provider. */
export function redactor(secret: string): Redact {
  if (secret.length < SHORTEST) return (text) => text;
  const whole = redactorOf([secret]);
  const pieces = new Set<string>();
  for (let at = 0; at + SHORTEST <= secret.length; at += 1) pieces.add(secret.slice(at, at + SHORTEST));
  return (text) => withoutParts(whole(text), pieces);
}
