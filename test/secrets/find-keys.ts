import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';

/** A place that contains a key, and the encoding of the key there. */
export interface Leak {
  readonly where: string;
  readonly key: string;
  readonly how: string;
}

type Form = readonly [how: string, text: string];

/**
 * Returns the Base64 encodings of a key inside a longer text, one for each alignment: only the part that is independent
 * of the neighbouring characters.
 */
function base64Forms(key: string): readonly Form[] {
  return [0, 1, 2].map((before): Form => {
    const text = Buffer.concat([Buffer.alloc(before), Buffer.from(key)])
      .toString('base64')
      .replace(/=+$/, '');
    const [from, until] = [before === 0 ? 0 : before + 1, text.length - 1];
    return [`base64, ${String(before)}`, text.slice(from, until)];
  });
}

/** Returns the encodings of a key that the search looks for. Half of a key counts as a leak. */
function formsOf(key: string): readonly Form[] {
  const middle = key.slice(3, 3 + Math.ceil((key.length - 3) / 2));
  const url = Array.from(key, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
  return [
    ['as it is', key],
    ['a half of it', middle],
    ['percent-encoded', url],
    ['reversed', Array.from(key).reverse().join('')],
    ['hex', Buffer.from(key).toString('hex')],
    ['escaped for JSON', Array.from(key, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')],
    ...base64Forms(key),
  ];
}

const UNESCAPED: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

const unescapeOnce = (text: string): string => text.replace(/\\[n"\\]/g, (found) => UNESCAPED[found] ?? found);

const VALUES = /"(\w{1,40})":\s?"((?:[^"\\]|\\.)*)"/g;

/**
 * Joins the parts of streamed texts: all values of the same name in order. Streams inside escaped texts are included.
 */
function joined(text: string): readonly string[] {
  const found: string[] = [];
  let level = text;
  for (let depth = 0; depth < 3; depth += 1) {
    const byName = new Map<string, string[]>();
    for (const [, name = '', value = ''] of level.matchAll(VALUES)) {
      const values = byName.get(name) ?? [];
      values.push(value);
      byName.set(name, values);
    }
    found.push(...Array.from(byName.values(), (values) => values.join('')));
    level = unescapeOnce(level);
  }
  return found;
}

/**
 * Maximum length, in bytes, of a text in which streams are joined. Joining them in longer texts would take too long.
 */
const LONGEST_TAKEN_APART = 2_000_000;

/**
 * Size in bytes above which only the beginning and the end of a file are searched. RoboSmith writes no file that large
 * in one piece.
 */
const LARGEST = 8_000_000;

function textOf(file: string, size: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const read = (from: number, length: number): string => {
      const bytes = Buffer.alloc(length);
      return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, length, from));
    };
    if (size <= LARGEST) return read(0, size);
    return `${read(0, LARGEST / 2)}\n${read(size - LARGEST / 2, LARGEST / 2)}`;
  } finally {
    closeSync(descriptor);
  }
}

type FormOfKey = readonly [key: string, how: string, form: string];

/** Returns a function that finds forms in a text in one pass, whatever their number. */
function createFinder(forms: readonly FormOfKey[]): (text: string) => readonly FormOfKey[] {
  const starts = new Uint8Array(65_536);
  const byStart = Map.groupBy(forms, ([, , form]) => form.slice(0, 4));
  const pairAt = (text: string, at: number): number =>
    ((text.charCodeAt(at) & 255) << 8) | (text.charCodeAt(at + 1) & 255);
  for (const [, , form] of forms) starts[pairAt(form, 0)] = 1;
  return (text) => {
    const found = new Set<FormOfKey>();
    for (let at = 0; at + 4 <= text.length; at += 1) {
      if (starts[pairAt(text, at)] === 0) continue;
      for (const one of byStart.get(text.slice(at, at + 4)) ?? []) if (text.startsWith(one[2], at)) found.add(one);
    }
    return [...found];
  };
}

export function createKeySearch(keys: readonly string[]) {
  const find = createFinder(keys.flatMap((key) => formsOf(key).map(([how, form]): FormOfKey => [key, how, form])));

  const inText = (text: string, where: string): readonly Leak[] =>
    find(text).map(([key, how]): Leak => ({ where, key, how }));

  const inStream = (text: string, where: string): readonly Leak[] => {
    if (text.length > LONGEST_TAKEN_APART || !text.includes('":')) return [];
    const all = joined(text).join('\n');
    return keys.flatMap((key) => (all.includes(key) ? [{ where, key, how: 'in parts of a stream' }] : []));
  };

  const search = (text: string, where: string): readonly Leak[] => {
    const whole = inText(text, where);
    return whole.length > 0 ? whole : inStream(text, where);
  };

  const below = (place: string): readonly Leak[] => {
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return readdirSync(place).flatMap((name) => below(path.join(place, name)));
    return found?.isFile() === true ? search(textOf(place, found.size), place) : [];
  };

  return { inText: search, below };
}

export const describeLeaks = (leaks: readonly Leak[]): string =>
  leaks.map(({ where, key, how }) => `${where} holds the test key ${key.slice(0, 8)}…, ${how}`).join('\n');
