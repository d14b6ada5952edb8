import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { countIn, errorTexts, isProxy } from './plain-data.ts';

/** Limits of one summary, so that no value, however large, costs more than a fixed time. */
interface SummaryLimits {
  readonly depth: number;
  /** The maximum number of entries of one object or array. */
  readonly entries: number;
  /** The maximum number of values in total. */
  readonly values: number;
  /** The maximum number of characters of one text. */
  readonly text: number;
  /** The maximum number of characters of all texts together. */
  readonly characters: number;
}

export const SUMMARY_LIMITS: SummaryLimits = { depth: 6, entries: 40, values: 400, text: 300, characters: 20_000 };

export interface SummaryParts {
  readonly limits: SummaryLimits;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
  /** Returns the summary of an object of a known kind; undefined for any other. */
  readonly describe: (value: object) => JsonObject | string | undefined;
}

/** Keys whose values are content rather than state, such as the texts of prompts, answers and files. */
const PAYLOAD = /^(?:payload|segments|content|text|prompt|answer|guidance|message_text|input|stdout|stderr)$/i;

const sizeOf = (value: unknown): string => {
  if (typeof value === 'string') return `${value.length} characters`;
  return !isProxy(value) && Array.isArray(value) ? `${value.length} entries` : typeof value;
};

/**
 * The maximum length of a secret in any encoding. The last characters of a searched part, up to this number, are not
 * shown, because they may be the beginning of a secret.
 */
const LONGEST_SECRET = 8_000;

/** Copies a text: a slice would keep the whole text in memory. */
const copied = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Shortens a text. Secrets are removed before the text is cut, so that no part of one is left at the end. */
export function shorten(whole: string, limit: number, redact: (text: string) => string): string {
  if (whole.length <= limit) return redact(whole);
  const searched = redact(whole.slice(0, limit + LONGEST_SECRET));
  const isWhole = whole.length <= limit + LONGEST_SECRET;
  const sound = isWhole ? searched.length : Math.max(0, searched.length - LONGEST_SECRET);
  return `${copied(searched.slice(0, Math.min(limit, sound)))}… (${whole.length} characters)`;
}

/**
 * Returns a bounded JSON summary of any value. It runs no code of the value: accessors and proxies are named instead of
 * read, and a value that throws while it is inspected is summarised as unreadable.
 */
export function summarise(value: unknown, { limits, redact, describe }: SummaryParts): JsonValue {
  let values = limits.values;
  let characters = limits.characters;
  const above = new Set<object>();

  const text = (whole: string): string => {
    const shown = characters > 0 ? shorten(whole, limits.text, redact) : `… (${whole.length} characters)`;
    characters -= shown.length;
    return shown;
  };
  const primitive = (one: unknown): JsonValue => {
    if (typeof one === 'string') return text(one);
    if (one === null || typeof one === 'boolean') return one;
    if (typeof one === 'number') return Number.isFinite(one) ? one : String(one);
    if (typeof one === 'function') return '[function]';
    return typeof one === 'undefined' ? '[undefined]' : `[${typeof one}]`;
  };
  const entry = (owner: object, key: string, depth: number): JsonValue => {
    const descriptor = Object.getOwnPropertyDescriptor(owner, key);
    if (descriptor?.get !== undefined || descriptor?.set !== undefined) return '[accessor]';
    const own: unknown = descriptor?.value;
    if (PAYLOAD.test(key) && own !== null && own !== undefined && typeof own !== 'boolean') return `[${sizeOf(own)}]`;
    return any(own, depth);
  };
  const list = (items: readonly unknown[], depth: number): JsonValue => {
    const { length } = items;
    const shown = Array.from({ length: Math.min(length, limits.entries) }, (_, at) => entry(items, String(at), depth));
    return length > shown.length ? [...shown, `… ${length - shown.length} more`] : shown;
  };
  const record = (owner: object, depth: number): JsonValue => {
    const keys = Object.keys(owner);
    const shown = keys.slice(0, limits.entries).map((key) => [text(key), entry(owner, key, depth)] as const);
    const rest = keys.length - shown.length;
    return Object.fromEntries(rest > 0 ? [...shown, ['…', `${rest} more`] as const] : shown);
  };
  /** Shortens and redacts the texts in the description of an object of a known kind. */
  const described = (one: JsonValue): JsonValue => {
    if (typeof one === 'string') return text(one);
    if (typeof one !== 'object' || one === null) return one;
    if (Array.isArray(one)) return one.map(described);
    return Object.fromEntries(Object.entries(one).map(([key, own]) => [key, described(own)]));
  };
  const object = (owner: object, depth: number): JsonValue => {
    const known = describe(owner);
    if (known !== undefined) return described(known);
    const error = errorTexts(owner);
    if (error !== null) return `${text(error[0])}: ${text(error[1])}`;
    const counted = countIn(owner);
    if (counted !== null) return `[${counted}]`;
    return Array.isArray(owner) ? list(owner, depth) : record(owner, depth);
  };
  const any = (one: unknown, depth: number): JsonValue => {
    values -= 1;
    if (values < 0) return '[…]';
    if (typeof one !== 'object' || one === null) return primitive(one);
    if (depth >= limits.depth) return '[…]';
    if (isProxy(one)) return '[proxy]';
    if (above.has(one)) return '[circular]';
    above.add(one);
    try {
      return object(one, depth + 1);
    } catch {
      return '[unreadable]';
    } finally {
      above.delete(one);
    }
  };
  return any(value, 0);
}
